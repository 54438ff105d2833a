import { createBatchChoice } from '../../../../../nodes/MessagingChannel/execution/sending/journal/batchChoice';

const entries = (...ids: string[]) => ids.map((id) => ({ id }));
const many = entries(...Array.from({ length: 2_000 }, (_, index) => `${index}`));

function choose(all: ReadonlyArray<{ id: string }>, seconds = 1, known: readonly string[] = []) {
	let ms = 5_000;
	const choice = createBatchChoice(all, { elapsed: () => ms }, (id) => known.includes(id), seconds);
	return {
		from: (id: string) => choice.from({ id }).map((entry) => entry.id),
		next: (id: string) => choice.next({ id })?.id,
		pass: (passedMs: number) => (ms += passedMs),
	};
}

// A batch has as many sends as the one before took, in the time that it shall last.
test.each([
	{ seconds: 1, passedMs: 2_000, size: 25 },
	{ seconds: 1, passedMs: 500, size: 50 },
	{ seconds: 2, passedMs: 500, size: 100 },
	{ seconds: 1, passedMs: 100, size: 125 },
	{ seconds: 2, passedMs: 0, size: 250 },
])('begins $size together when 25 took $passedMs ms and a batch lasts $seconds s', (row) => {
	const choice = choose(many, row.seconds);

	expect(choice.from('0')).toHaveLength(25);
	choice.pass(row.passedMs);
	expect(choice.from('25')).toEqual(many.slice(25, 25 + row.size).map(({ id }) => id));
});

test('begins each once, from the one that is asked for, without those that are known', () => {
	const choice = choose(entries('a', 'b', 'c', 'b', 'd', 'e'), 1, ['d']);

	expect(choice.from('b')).toEqual(['b', 'c', 'e']);
	expect(choice.from('x')).toEqual(['x']);
});

test('looks ahead to the first that is not known, once the last batch is asked for', () => {
	const known: string[] = [];
	const choice = choose(many, 1, known);

	expect(choice.next('0')).toBeUndefined();
	// One that the service has refused is not known any more.
	known.push(...choice.from('0').slice(1), '25');
	expect(choice.next('10')).toBe('26');
	expect(choice.next('26')).toBeUndefined();
});
