import { createRandom } from '../service/core/random';
import { messageBody } from './triggerWorld';

/** One event as the service delivers it, as often as it likes. */
interface LoadEvent {
	eventId: string;
	body: string;
}

/** So many different events, named after a prefix. */
export function events(prefix: string, count: number): LoadEvent[] {
	return Array.from({ length: count }, (_, number) => ({
		eventId: `${prefix}-${number}`,
		body: messageBody(),
	}));
}

/** Each several times, in an order drawn from a seed. */
export function shuffled<T>(items: T[], times: number, seed = 1): T[] {
	const random = createRandom(seed);
	return Array.from({ length: times }, () => items)
		.flat()
		.map((item) => ({ item, at: random.next() }))
		.sort((a, b) => a.at - b.at)
		.map(({ item }) => item);
}

/** Does the work on every item, so many at a time. */
export async function atATime<T>(limit: number, items: T[], work: (item: T) => Promise<void>): Promise<void> {
	const rest = [...items];
	const worker = async () => {
		for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
	};
	await Promise.all(Array.from({ length: limit }, worker));
}
