import { endSummary } from './summary';

/** Prints the summary after Jest's last test. */
export default function printSummary(): void {
	const summary = endSummary();
	if (summary) console.log(`\n${summary}`);
}
