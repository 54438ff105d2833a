import { claimAnswer } from '../../../nodes/MessagingChannel/sendAndWait/claimAnswer';

let now = 1_750_000_000_000;
let questions = 0;

/** A question, and what n8n does with the answers to it. */
function ask() {
	const question = `question ${++questions}`;
	const handed: Array<(taken: boolean) => void> = [];
	const watch = async () => await new Promise<boolean>((resolve) => handed.push(resolve));
	return { handed, answer: async () => await claimAnswer(question, watch, { elapsed: () => now }) };
}

/** Resolves once everything that can go on has gone on. */
const idle = async () => await new Promise((resolve) => setImmediate(resolve));

test('of several concurrent answers one is the first, and the others wait until n8n accepts or rejects it', async () => {
	const { handed, answer } = ask();

	const answers = [answer(), answer(), answer()];
	await idle();
	expect(handed).toHaveLength(1);
	handed[0]?.(true);

	expect(await Promise.all(answers)).toEqual([true, false, false]);
	expect(handed).toHaveLength(1);
});

test('when n8n rejects an answer, the next one becomes the first', async () => {
	const { handed, answer } = ask();
	const answers = [answer(), answer(), answer()];
	await idle();

	handed[0]?.(false);
	await idle();
	expect(handed).toHaveLength(2);
	handed[1]?.(true);

	expect(await Promise.all(answers)).toEqual([true, true, false]);
});

test('an answer that n8n rejects does not close the question', async () => {
	const { handed, answer } = ask();
	await answer();
	handed[0]?.(false);
	await idle();

	expect(await answer()).toBe(true);
});

test('answers to different questions are independent', async () => {
	expect(await Promise.all([ask().answer(), ask().answer()])).toEqual([true, true]);
});

test('an answer is forgotten once n8n itself refuses others, so that a lost one can be given again', async () => {
	const { handed, answer } = ask();
	await answer();
	handed[0]?.(true);
	await idle();

	now += 10_000;
	expect(await answer()).toBe(false);
	now += 1;
	expect(await answer()).toBe(true);
});

test('an answer is kept until n8n has accepted it', async () => {
	const { handed, answer } = ask();
	await answer();
	now += 60_000;

	const second = answer();
	await idle();
	handed[0]?.(true);

	expect(await second).toBe(false);
});
