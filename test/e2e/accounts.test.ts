import { withEagerExpressions } from '../support/n8n/environment';
import { byPhone } from '../support/operations/parameters';
import { runOperation } from '../support/world/operationRun';
import { startWorld, type World } from '../support/world/world';

/** More than a sample of the items would show. */
const COUNT = 60;
const OTHERS = [17, 18, 41];

let world: World;
beforeAll(async () => {
	world = await startWorld({ env: withEagerExpressions });
});
afterAll(async () => await world?.stop());

// How n8n reads the index of an item is its own doing. The engine's tests have the older expression engine.
test.each([
	["$json.brand === 'b' ? KEYS.b : KEYS.a"],
	["$input.item?.json.brand === 'b' ? KEYS.b : KEYS.a"],
	[`[${OTHERS.join()}].includes($itemIndex) ? KEYS.b : KEYS.a`],
	["KEYS[$('Input').all()[$itemIndex]?.json.brand ?? 'a']"],
	['(() => { try { return KEYS[$json.brand] ?? KEYS.a; } catch { return KEYS.a; } })()'],
])('each item is sent from the account that {{ %s }} names', async (expression) => {
	const { control, origin } = world.service;
	await control.reset();
	const keyOf = async () => (await control.createKey({ permissions: ['messages:send'] })).apiKey;
	const keys = { a: await keyOf(), b: await keyOf() };
	const credential = await world.n8n.api.createCredential('messagingChannelApi', 'Two accounts', {
		baseUrl: origin,
		apiKey: `={{ ${expression.replaceAll('KEYS', `(${JSON.stringify(keys)})`)} }}`,
	});
	const input = Array.from({ length: COUNT }, (_, index) => ({
		json: { number: index, brand: OTHERS.includes(index) ? 'b' : 'a' },
	}));

	await runOperation(
		{ n8n: world.n8n, credential },
		{ resource: 'message', operation: 'send' },
		{ to: byPhone('={{ 905551110000 + $json.number }}'), message: '={{ $json.number }}' },
		{ input },
	);

	const sends = await control.requests({ operationId: 'message.send' });
	expect(sends).toHaveLength(COUNT);
	const fromOther = sends.filter(({ headers }) => headers.authorization === `Bearer ${keys.b}`);
	const numbers = fromOther.map(({ body }) => Number((body as { message: string }).message));
	expect(numbers.sort((a, b) => a - b)).toEqual(OTHERS);
});
