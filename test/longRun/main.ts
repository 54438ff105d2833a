/** Half an hour of mixed work in a real n8n, beside the same with n8n's own nodes: `npm run test:long`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';

import { isTooShort, pageOf, problemsOf } from './report';
import { longRun } from './run';

const MINUTES = Number(process.env.LONG_RUN_MINUTES ?? 30);

async function main(): Promise<void> {
	const courses = await longRun({ load: MINUTES * 60_000, quiet: 60_000 }, console.log);
	const page = await format(pageOf(courses), { parser: 'markdown' });
	writeFileSync(join(__dirname, 'RESULTS.md'), page);
	console.log(`\n${page}`);
	const problems = problemsOf(courses);
	if (isTooShort(courses)) problems.push('The run was too short to say whether memory grows');
	if (problems.length > 0) throw new Error(problems.join('\n'));
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
