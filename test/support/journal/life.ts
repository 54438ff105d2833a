import type { Journal, Policy } from '../../../nodes/MessagingChannel/n8n/journal/contract';
import { createJournal } from '../../../nodes/MessagingChannel/n8n/journal/journal';
import { CALL_MS } from '../../../nodes/MessagingChannel/n8n/journal/repair';
import { ENCODING, type Encoding, type State } from '../../../nodes/MessagingChannel/n8n/journal/encoding';

/** What a process believes or did. The judge hears it. */
export interface Belief {
	see: string;
	id?: string;
	tag?: string;
	state?: State | 'error';
	isSame?: boolean;
	/** What is certain after a settle, by id. */
	certain?: Record<string, State>;
}

/** How a send ends: it was made, certainly not made, or nobody knows. */
export type End = 'made' | 'refused' | 'lost';

/** What a life has: the journal, and what cannot be undone. */
export interface Life {
	journal: Journal;
	see: (belief: Belief) => void;
	act: (id: string, ends: readonly End[], tag?: string) => Promise<End>;
	/** What this life has made of the facts. */
	made: Record<string, State>;
}

/** What a life does. */
export type Script = ReadonlyArray<(life: Life) => Promise<void>>;

/** Processes that share a row, and what can happen to them. */
export interface World {
	/** The lives of each process, one after the other: what it does until it ends or is killed. */
	lives: ReadonlyArray<readonly Script[]>;
	kills?: number;
	/** How many calls to the row fail, before or after they have written. */
	fails?: number;
	/** How sends end. */
	ends?: readonly End[];
	policy?: Partial<Policy>;
	encoding?: Partial<Encoding>;
	/** Whether waiting for other processes takes no time. */
	neverWaits?: boolean;
	/** Whether another process may be at work, as far as the journal knows. */
	isShared?: boolean;
	/** Whether lives end without settling. */
	unsettled?: boolean;
}

/** What is true, whatever the processes believe. */
export interface Truth {
	made: Record<string, number>;
	tags: Record<string, string[]>;
	certain: Record<string, State>;
}

/** Something that a life waits for. */
export type Operation = { n: number } & (
	| { does: 'record'; keys: string[]; max: number | undefined }
	| { does: 'remove'; keys: string[] }
	| { does: 'sleep' }
	| { does: 'act'; id: string; tag: string; ends: readonly End[] }
);

/** What a life was told: the number of an operation, and its result. */
export type Told = [n: number, result: string[] | End | 'failed' | 'waited'];

/** What a life does and believes, up to what it waits for. */
export interface Behaviour {
	operations: Operation[];
	beliefs: Belief[];
	hasEnded: boolean;
}

const flushed = async () => await new Promise(setImmediate);

/** What a life does when it is told this. */
export async function behave(
	world: World,
	name: string,
	script: Script,
	told: readonly Told[],
): Promise<Behaviour> {
	const open = new Map<
		number,
		{ operation: Operation; resolve: (result: never) => void; reject: (error: Error) => void }
	>();
	const beliefs: Belief[] = [];
	let [count, now, hasEnded] = [0, 0, false];
	const wait = async <T>(operation: Record<string, unknown>): Promise<T> =>
		await new Promise<T>((resolve, reject) => {
			const n = count++;
			open.set(n, { operation: { ...operation, n } as unknown as Operation, resolve, reject });
		});
	const ground = {
		row: {
			record: async (keys: Iterable<string>, max?: number) =>
				new Set(await wait<string[]>({ does: 'record', keys: [...new Set(keys)], max })),
			remove: async (keys: Iterable<string>) =>
				await wait<void>({ does: 'remove', keys: [...new Set(keys)] }),
			count: async () => await Promise.reject<number>(new Error('Nobody counts here')),
		},
		clock: {
			elapsed: () => now,
			sleep: async (ms: number) => {
				if (ms >= CALL_MS && !world.neverWaits) await wait<void>({ does: 'sleep' });
				now += ms;
			},
		},
		isShared: world.isShared ?? world.lives.length > 1,
		onFailure: () => {},
	};
	const journal = createJournal(
		ground,
		{ writesWithinMs: 0, ...world.policy },
		{ ...ENCODING, ...world.encoding },
		String(name),
	);
	const life: Life = {
		journal,
		made: {},
		see: (belief) => beliefs.push(belief),
		act: async (id, ends, tag = '') =>
			await wait<End>({
				does: 'act',
				id,
				tag,
				ends: ends.filter((end) => world.ends?.includes(end) ?? true),
			}),
	};
	void (async () => {
		for (const step of script) await step(life);
		await journal.flush();
		if (!world.unsettled && (await journal.settle())) life.see({ see: 'settled', certain: life.made });
		hasEnded = true;
	})();
	await flushed();
	for (const [n, result] of told) {
		const waiting = open.get(n);
		open.delete(n);
		if (result === 'failed') waiting?.reject(new Error('SQLITE_BUSY'));
		else waiting?.resolve(result as never);
		await flushed();
	}
	return { operations: [...open.values()].map(({ operation }) => operation), beliefs, hasEnded };
}
