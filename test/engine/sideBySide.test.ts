import { person, useEngine } from '../support/engine/engine';
import type { RunOptions } from '../support/engine/run';
import { watchTogether } from '../support/engine/together';

const engine = useEngine();

const sends = (...recipients: string[]): RunOptions => ({
	items: recipients.map((to) => ({ to, message: 'Hello' })),
});

const phone = { __rl: true, mode: 'phone', value: person(1) };

/** How many requests of a run were under way together at the most. */
async function mostTogether(options: RunOptions): Promise<number> {
	const watch = watchTogether();
	const { error } = await engine.run({ ...options, watch });
	expect(error).toBeUndefined();
	return watch.most;
}

test.each<RunOptions>([
	{ operation: 'account:get', items: [{}, {}] },
	{ operation: 'message:validate', items: [{}, {}], parameters: { message: 'Hello' } },
])('$operation for several items goes out for all at once, for it changes nothing', async (options) => {
	expect(await mostTogether(options)).toBe(2);
});

test('a change of the same record waits for the one before', async () => {
	await engine.service.control.seed({ contacts: [{ phone: person(1) }] });
	const parameters = { phone, updateFields: { name: 'Ada' } };

	expect(await mostTogether({ operation: 'contact:update', items: [{}, {}], parameters })).toBe(1);
});

test('a message waits for the one before to the same person, and for no other', async () => {
	expect(await mostTogether(sends(person(1), `${person(1)}@c.us`))).toBe(1);
	expect(await mostTogether(sends(person(1), person(2)))).toBe(2);
	expect(await mostTogether(sends('120363000000000001@g.us', '120363000000000002@g.us'))).toBe(2);
});
