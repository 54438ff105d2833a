// What the users of the journal do.
import { renew } from '../../../nodes/MessagingChannel/n8n/journal/room';
import type { Life } from './life';

const make = async ({ journal, act, made }: Life, id: string): Promise<void> => {
	await act(id, ['made']);
	journal.finish(id);
	made[id] = 'done';
};

const stateOf = async ({ journal }: Life, id: string) =>
	(await journal.begin([{ id }]).catch(() => undefined))?.get(id)?.state ?? 'error';

/** A send: only what is certainly absent is made. */
export const send =
	(id: string, tag?: string, waits = false) =>
	async (life: Life) => {
		const begun = await life.journal
			.begin([{ id, ...(tag !== undefined && { tag }) }], waits)
			.catch(() => undefined);
		const { state, hasSameTag } = begun?.get(id) ?? { state: 'error' as const, hasSameTag: false };
		life.see({ see: 'send', id, state, isSame: hasSameTag, ...(tag !== undefined && { tag }) });
		if (state !== 'absent') return;
		const end = await life.act(id, ['made', 'refused', 'lost'], tag);
		if (end === 'lost') return;
		if (end === 'made') life.journal.finish(id);
		else life.journal.cancel(id);
		life.made[id] = end === 'made' ? 'done' : 'absent';
		await life.journal.flush();
	};

/** A send that waits for what other processes may be writing. */
export const waiting = (id: string) => send(id, undefined, true);

/** Sends that are begun together and wait. */
export const batch =
	(...ids: string[]) =>
	async (life: Life) => {
		const begun = await life.journal.begin(
			ids.map((id) => ({ id })),
			true,
		);
		for (const [id, { state }] of begun) if (state === 'absent') await make(life, id);
		await life.journal.flush();
	};

/** An event: what is not done runs, so that none is lost. */
export const event = (id: string) => async (life: Life) => {
	const state = await stateOf(life, id);
	life.see({ see: 'event', id, state });
	if (state === 'done') return;
	await make(life, id);
	await life.journal.flush();
};

/** An event whose end is written with a beginning of the same event. */
export const overlapping = (id: string) => async (life: Life) => {
	life.journal.finish(id);
	life.made[id] = 'done';
	await event(id)(life);
};

/** A message that was delivered: it ends, and nobody has begun it. */
export const ending = (id: string) => async (life: Life) => {
	await make(life, id);
	await life.journal.flush();
};

/** Somebody looks for a message that another process may be ending. */
export const lookingUp = (id: string) => async (life: Life) => {
	const state = await stateOf(life, id);
	life.see({ see: 'event', id, state });
	if (state === 'done') life.journal.finish(id);
};

/** A message: it is tried three times at most, if n8n is killed during each. */
export const message = (id: string) => async (life: Life) => {
	const state = await stateOf(life, id);
	life.see({ see: 'event', id, state });
	if (state === 'done' || state === 'error') return;
	for (const one of [1, 2, 3].map((n) => `try ${n} ${id}`)) {
		const before = await life.journal.note([one]).catch(() => undefined);
		if (before?.has(one)) continue;
		if (!before) return;
		await make(life, id);
		return void (await life.journal.flush());
	}
};

/** An answer: it counts as handed over before it is. */
export const answer = (id: string) => async (life: Life) => {
	const state = await stateOf(life, id);
	life.see({ see: 'answer', id, state });
	if (state === 'done' || state === 'error') return;
	life.journal.finish(id);
	if (!(await life.journal.flush())) return;
	if ((await life.act(id, ['made', 'refused'])) === 'made') return;
	life.journal.cancel(id);
	await life.journal.flush();
};

/** A fact that is done becomes the youngest one. */
export const renewing = (id: string) => async (life: Life) =>
	life.made[id] === 'done' ? await renew(life.journal, [id]).catch(() => undefined) : undefined;

/** Somebody looks for a fact, and begins nothing. */
export const look = (id: string) => async (life: Life) => {
	const states = await life.journal.peek([id]).catch(() => undefined);
	life.see({ see: 'look', id, state: states?.get(id) ?? 'error' });
};

/** Somebody looks for a note that nobody has set. */
export const lookingForNote = (key: string) => async (life: Life) => {
	const found = await life.journal.find([key]).catch(() => undefined);
	if (!found) return;
	life.see({ see: 'note', id: key, state: found.has(key) ? 'done' : 'absent' });
	// Again, as another process can undo that what only the look has recorded is removed.
	if (!found.has(key)) life.journal.erase(key);
};
