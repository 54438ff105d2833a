import type { Permission } from '../support/service/core/records';
import { CONTINUES, person, toEach, useEngine } from '../support/engine/engine';
import type { RunOptions } from '../support/engine/run';

const engine = useEngine();

const createKey = async (...permissions: Permission[]) =>
	(await engine.service.control.createKey({ permissions })).apiKey;

/** Items that each go out with the key they hold. */
const withKeys = (...keys: Array<string | undefined>): RunOptions => ({
	items: keys.map((key, item) => ({ key, to: person(item), message: `Message ${item}` })),
	credential: { baseUrl: engine.service.baseUrl, apiKey: '={{ $json.key }}' },
});

/** The keys of the requests, by the text that each has sent. */
const keysUsed = async () => {
	const requests = await engine.requests('message.send');
	const sent = requests.map(({ body, headers }) => [
		(body as { message: string }).message,
		headers.authorization,
	]);
	return Object.fromEntries(sent) as Record<string, string>;
};

/** Expressions that give most items one account and the others another; none fails for an item that does not exist. */
test.each([
	['its field', "$json.brand === 'b' ? KEYS.b : KEYS.a"],
	['its field, if there is one', "$input.item?.json.brand === 'b' ? KEYS.b : KEYS.a"],
	['its place', '[31, 32, 55].includes($itemIndex) ? KEYS.b : KEYS.a'],
	['all items', "$input.all()[$itemIndex]?.json.brand === 'b' ? KEYS.b : KEYS.a"],
	[
		'its field, whatever happens',
		'(() => { try { return KEYS[$json.brand] ?? KEYS.a; } catch { return KEYS.a; } })()',
	],
])('of 60 items, each is sent from the account that %s names', async (_, expression) => {
	const [a, b] = [await createKey('messages:send'), await createKey('messages:send')];
	const others = [31, 32, 55];
	const items = toEach(60).map((item, index) => ({ ...item, brand: others.includes(index) ? 'b' : 'a' }));
	const apiKey = `={{ ${expression.replaceAll('KEYS', `(${JSON.stringify({ a, b })})`)} }}`;

	await engine.run({ items, credential: { baseUrl: engine.service.baseUrl, apiKey } });

	const used = Object.entries(await keysUsed()).filter(([, key]) => key === `Bearer ${b}`);
	expect(used.map(([message]) => message).sort()).toEqual(others.map((index) => `Hello ${index}`));
});

test('an item whose credential cannot be resolved fails alone, before anything is sent', async () => {
	const a = await createKey('messages:send');
	const options = withKeys(a, a, a);
	const credential = {
		baseUrl: engine.service.baseUrl,
		apiKey: "={{ $json.to.endsWith('1') ? $('Nowhere').item.json.key : $json.key }}",
	};

	const stopped = await engine.run({ ...options, credential });
	expect(stopped.error?.context.itemIndex).toBe(1);
	expect(await engine.accepted()).toEqual([]);

	const { output } = await engine.run({ ...options, credential, node: CONTINUES });
	expect(output.map(({ json }) => json.error === undefined)).toEqual([true, false, true]);
	expect(await engine.accepted()).toEqual(['Message 0', 'Message 2']);
});

test('a message of one account is not searched for with the key of another', async () => {
	const [a, b] = [
		await createKey('messages:send'),
		await createKey('messages:send', 'messages:read', 'chats:read'),
	];
	await engine.service.control.addFault({ kind: 'reset', operationId: 'message.send', times: 2 });

	await engine.run({ ...withKeys(a, b), node: CONTINUES });

	const looks = await engine.requests('chat.resolve');
	expect(new Set(looks.map(({ headers, query }) => `${headers.authorization} ${query.phone}`))).toEqual(
		new Set([`Bearer ${a} ${person(0)}`, `Bearer ${b} ${person(1)}`]),
	);
});

test.each([1, 100])('for %d items, a credential without expressions is resolved once', async (count) => {
	const apiKey = await createKey('messages:send');
	let resolved = 0;
	const credential = () => {
		resolved++;
		return { baseUrl: engine.service.baseUrl, apiKey };
	};

	await engine.run({ items: toEach(count), credential });

	expect(await engine.accepted()).toHaveLength(count);
	expect(resolved).toBe(1);
});
