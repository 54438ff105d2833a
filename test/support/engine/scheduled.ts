import { person, type Engine } from './engine';
import type { RunOptions } from './run';

/** A message to a person of its own, scheduled in so many hours, for each of these numbers of hours. */
export function scheduledIn(engine: Engine, ...hours: number[]): RunOptions {
	const at = (each: number) => new Date(engine.now() + each * 3_600_000).toISOString();
	return {
		operation: 'scheduledMessage:create',
		items: hours.map((each) => ({ to: person(Math.abs(each)), at: at(each) })),
		parameters: {
			to: { __rl: true, mode: 'phone', value: '={{ $json.to }}' },
			message: 'Hello',
			scheduledAt: '={{ $json.at }}',
		},
	};
}
