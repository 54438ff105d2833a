import { person, useEngine } from './engine';
import type { RunOptions } from './run';

const engine = useEngine();

const phone = { __rl: true, mode: 'phone', value: person(1) };

/** How many requests of a run were under way together at the most. */
async function mostTogether(options: RunOptions): Promise<number> {
	let together = 0;
	let most = 0;
	const watch = {
		sending: () => (most = Math.max(most, ++together)),
		answered: () => together--,
	};
	const { error } = await engine.run({ ...options, watch });
	expect(error).toBeUndefined();
	return most;
}

test.each<RunOptions>([
	{ operation: 'account:get', items: [{}, {}] },
	{ operation: 'message:validate', items: [{}, {}], parameters: { message: 'Hello' } },
])('$operation for several items goes out for all at once, for it changes nothing', async (options) => {
	expect(await mostTogether(options)).toBe(2);
});

test.each<RunOptions>([
	{
		operation: 'contact:update',
		items: [{}, {}],
		parameters: { phone, updateFields: { name: 'Ada' } },
	},
	{
		operation: 'message:send',
		items: [{ to: person(1) }, { to: `${person(1)}@c.us` }],
		parameters: { message: 'Hello', to: { __rl: true, mode: 'phone', value: '={{ $json.to }}' } },
	},
])('$operation for the same one waits for the item before', async (options) => {
	await engine.service.control.seed({ contacts: [{ phone: person(1) }] });

	expect(await mostTogether(options)).toBe(1);
});
