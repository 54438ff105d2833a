import type { Clock } from '../../api/clock';
import { known, open } from './encoding';
import type { Journal } from './contract';

/** How many facts of the last day a row has room for. n8n rewrites all of it with each call: 1.1 MB. */
export const CAPACITY = 40_000;

/** A row may have so many keys more: those of facts that are open, and what makes it worth dropping some. */
const SLACK = 1_000;

/** Marks tell the length of a row in steps of so many keys. */
const STEP = 250;

/** Marks are looked for up to this length. A row has up to twice its capacity of older facts, and those of the last day. */
const MAX_LENGTH = 4 * CAPACITY;

/** Facts that are renewed together. If n8n is killed meanwhile, they are open. */
const RENEWED_AT_ONCE = 250;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Recorded before all other keys of a day: how many keys the row had then. */
const mark = (day: number, step: number): string => `day ${day} ${step}`;

/**
 * The room in a row that forgets nothing that a promise rests on: no fact that was recorded yesterday or today, by the day in UTC, and none
 * that this execution has asked for.
 */
export interface Room {
	/** Called at the beginning of an execution, and of a day. Rejects if n8n's database fails. */
	open(): Promise<void>;
	/** The day in UTC, by its number. */
	today(): number;
	/** Whether the row has room for facts that were just begun. If not, they must be cancelled. */
	admits(begun: number): Promise<boolean>;
	/**
	 * Drops the oldest keys of a row that is too long. Called at the end of an execution.
	 *
	 * @param asked the facts that this execution has asked for and that are done, which are not to go
	 * @param isOpenAsked whether it has asked for others, which are open. They keep their place, so less is dropped
	 * @returns how many keys are dropped
	 */
	trim(asked: readonly string[], isOpenAsked?: boolean): Promise<number>;
}

/** Creates the access to the room in a row. */
export function createRoom(journal: Journal, { now }: Pick<Clock, 'now'>): Room {
	let markedDay: number | undefined;
	let length = 0;
	/** How many keys must not go; undefined until somebody has to know. */
	let young: number | undefined;

	const today = () => Math.floor(now() / DAY_MS);
	const count = async () => await journal.use(async (row) => await row.count());

	/** The lowest mark of each day that counts. Several processes can have marked a day, and the lowest mark keeps most. */
	const findMarks = async (): Promise<Array<{ day: number; step: number }>> => {
		const steps = Array.from({ length: MAX_LENGTH / STEP }, (_, step) => step);
		const days = [today() - 1, today()];
		const found = await journal.find(days.flatMap((day) => steps.map((step) => mark(day, step))));
		return days.flatMap((day) => {
			const lowest = steps.find((step) => found.has(mark(day, step)));
			return lowest === undefined ? [] : [{ day, step: lowest }];
		});
	};

	const measure = async () => {
		const marks = await findMarks();
		length = await count();
		return { marks, mustStay: length - STEP * Math.min(...marks.map(({ step }) => step)) };
	};

	return {
		async open() {
			const day = today();
			length = await count();
			if (markedDay === day) return;
			await journal.note([mark(day, Math.floor(length / STEP))]);
			markedDay = day;
		},
		today,
		async admits(begun) {
			length += begun;
			if (young !== undefined) young += begun;
			if (length <= CAPACITY) return true;
			young ??= (await measure()).mustStay;
			if (young <= CAPACITY + SLACK) return true;
			young -= begun;
			return false;
		},
		async trim(asked, isOpenAsked = false) {
			const kept = isOpenAsked ? 2 * CAPACITY : CAPACITY;
			if (length < kept + SLACK) return 0;
			const { marks, mustStay } = await measure();
			const dropped = length - Math.max(kept, mustStay + asked.length);
			if (dropped < SLACK) return 0;
			const moved = Math.ceil((dropped + asked.length) / STEP);
			// First, so that n8n can be killed at any time: a lower mark keeps more.
			await journal.note(marks.map(({ day, step }) => mark(day, Math.max(0, step - moved))));
			for (let from = 0; from < asked.length; from += RENEWED_AT_ONCE)
				await renew(journal, asked.slice(from, from + RENEWED_AT_ONCE));
			await journal.use(async (row) => await row.record([], length - dropped));
			young = undefined;
			return dropped;
		},
	};
}

/** Makes facts that are done the youngest ones. Killed meanwhile, they are open. */
export async function renew(journal: Journal, ids: readonly string[]): Promise<void> {
	await journal.use(async (row) => {
		await row.record(ids.map(open));
		await row.remove(ids.map(known));
		await row.record(ids.map(known));
		await row.remove(ids.map(open));
	});
}
