import { once } from 'node:events';
import { connect, createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';

import { reach } from '../../support/engine/reach';
import { close, createStrippingProxy, listen } from '../../support/localServer';
import { eventually } from '../../support/poll';
import { messageBody, textsOf, useTrigger, type Trigger } from '../../support/engine/trigger';

const place = useTrigger();

/** Nothing waits for the response of a test, and the service delivers the sample of a check again. */
const gets = async (trigger: Trigger, texts: string[]) => {
	await eventually(
		() => textsOf(trigger.taken).join(),
		(taken) => taken === texts.join(),
	);
	await place.service.control.idle();
};

const parameters = { events: ['message.received'] };

/** The same n8n at other addresses. */
let ipv6Url: string;
let proxyUrl: string;
const servers: Server[] = [];

beforeAll(async () => {
	const { port } = new URL(place.n8nUrl);
	const byIpv6 = createTcpServer((socket) => {
		const upstream = connect(Number(port), '127.0.0.1');
		for (const each of [socket, upstream]) each.on('error', () => each.destroy());
		socket.pipe(upstream).pipe(socket);
	}).listen(0, '::1');
	await once(byIpv6, 'listening');
	ipv6Url = `http://[::1]:${(byIpv6.address() as AddressInfo).port}`;
	const proxy = createStrippingProxy(Number(port), '/n8n');
	proxyUrl = await listen(proxy);
	servers.push(byIpv6, proxy);
});
afterAll(async () => {
	for (const server of servers) await close(server);
});

/** Where n8n's URLs begin: production's, and those of tests. */
const ADDRESSES: Record<string, (n8nUrl: string) => { production: string; test: string }> = {
	'one base': (url) => ({ production: `${url}/webhook`, test: `${url}/webhook-test` }),
	'another host for tests': (url) => ({
		production: `${url}/webhook`,
		test: `${url.replace('127.0.0.1', 'localhost')}/webhook-test`,
	}),
	'a path': (url) => ({ production: `${url}/n8n/webhook`, test: `${url}/n8n/webhook-test` }),
	'a path, and another name for tests': (url) => ({
		production: `${url}/n8n/webhook`,
		test: `${url}/n8n/try-test`,
	}),
	'a path, and other names': (url) => ({ production: `${url}/n8n/in`, test: `${url}/n8n/in-test` }),
	'a host in capitals': (url) => {
		const other = url.replace('127.0.0.1', 'LOCALHOST');
		return { production: `${other}/webhook`, test: `${other}/webhook-test` };
	},
	'an IPv6 address and another port': () => ({
		production: `${ipv6Url}/webhook`,
		test: `${ipv6Url}/webhook-test`,
	}),
	'an IPv6 address for tests': (url) => ({
		production: `${url}/webhook`,
		test: `${ipv6Url}/webhook-test`,
	}),
	'a user name and a password': (url) => {
		const other = url.replace('//', '//user:hidden-word@');
		return { production: `${other}/webhook`, test: `${other}/webhook-test` };
	},
	'a path that a proxy removes': () => ({
		production: `${proxyUrl}/n8n/webhook`,
		test: `${proxyUrl}/n8n/webhook-test`,
	}),
	'tests without the path': (url) => ({ production: `${url}/n8n/webhook`, test: `${url}/webhook-test` }),
};

describe.each(Object.entries(ADDRESSES))('with %s', (_, basesOf) => {
	const create = async () => await place.trigger({ parameters, bases: basesOf(place.n8nUrl) });

	test('a workflow is published, shares, receives, and lets another one be tested', async () => {
		const [hub, other] = [await create(), await create()];
		await hub.activate();
		await other.activate();
		await other.activate('manual');

		await place.service.control.deliver({ body: messageBody({ body: 'Hello' }) });

		await gets(hub, ['Hello']);
		await gets(other, ['Hello', 'Hello']);
		await other.deactivate('manual');
		const { config } = await place.service.control.webhook();
		const ownUrl = `${basesOf(place.n8nUrl).production}/${hub.node.webhookId}/`;
		expect(config?.url.slice(0, ownUrl.length)).toBe(ownUrl);
	});

	test('a workflow that polls is tested', async () => {
		await place.service.control.incomingMessage({ from: '905551112233', body: 'Before' });
		const trigger = await place.trigger({
			parameters: { ...parameters, listen: 'poll' },
			bases: basesOf(place.n8nUrl),
		});

		await trigger.activate('manual');

		await gets(trigger, ['Before']);
	});

	test('a workflow is tested where none is published', async () => {
		const trigger = await create();
		await trigger.activate('manual');

		await place.service.control.deliver({ body: messageBody({ body: 'Hello' }) });

		await gets(trigger, ['Hello']);
	});
});

const ELSEWHERE = (url: string) => ({
	production: `${url}/webhook`,
	test: `${url.replace('127.0.0.1', 'localhost')}/webhook-test`,
});

test('no error shows the password in a URL of n8n', async () => {
	reach.without = 'hidden-word';
	const trigger = await place.trigger({
		parameters,
		bases: ADDRESSES['a user name and a password']?.(place.n8nUrl),
	});

	const error = await trigger.activate().catch(({ message }: Error) => message);
	reach.without = undefined;

	expect(error).toMatch(/^n8n's webhook URL http:\/\/127\.0\.0\.1:\S+ is out of reach/);
	expect(error).not.toContain('hidden-word');
});

test('a test of another n8n with the same secret is refused as before', async () => {
	const hub = await place.trigger({ parameters });
	await hub.activate();
	const other = await place.trigger({
		parameters,
		bases: ELSEWHERE(place.n8nUrl),
		instanceId: 'another instance',
	});

	await expect(other.activate('manual')).rejects.toThrow("The account's webhook already points to");
});

describe('where the service cannot reach the URL of a test', () => {
	beforeEach(() => (reach.without = 'localhost'));
	afterEach(() => (reach.without = undefined));
	const create = async () => await place.trigger({ parameters, bases: ELSEWHERE(place.n8nUrl) });

	test('it is tested while a workflow is published, which forwards to it', async () => {
		const hub = await create();
		await hub.activate();
		const tested = await create();

		await tested.activate('manual');
		await place.service.control.deliver({ body: messageBody({ body: 'Hello' }) });

		await gets(tested, ['Hello']);
	});

	test('it is refused where none is published, before anything changes', async () => {
		const trigger = await create();

		await expect(trigger.activate('manual')).rejects.toThrow(
			/^n8n's webhook URL http:\/\/localhost:\S+ is out of reach\. Set n8n's environment variable N8N_WEBHOOK_URL/,
		);
		expect(await place.operations()).toEqual(['webhook.get']);
	});
});

describe('with a service that spells the stored URL in another way than n8n', () => {
	beforeEach(async () => await place.service.control.configure({ webhookUrl: 'normalized' }));
	const create = async (options = {}) =>
		await place.trigger({
			parameters: { ...parameters, options },
			n8nUrl: place.n8nUrl.replace('127.0.0.1', 'LOCALHOST'),
		});

	test('a workflow is not on its own list, also when it is published again, and unpublishing removes the webhook', async () => {
		const trigger = await create({ takeAnswers: true });
		for (let times = 1; times <= 2; times++) await trigger.activate();
		const before = place.read;

		expect((await place.deliver({ body: messageBody({ body: 'Hello' }) })).status).toBe(200);

		expect([textsOf(trigger.taken), place.read - before]).toEqual([['Hello'], 1]);
		await trigger.deactivate();
		expect((await place.config())?.is_active).toBe(false);
	});

	test('several workflows share the webhook', async () => {
		const triggers = [await create(), await create()];
		for (const trigger of triggers) await trigger.activate();
		const before = place.read;

		expect((await place.deliver({ body: messageBody({ body: 'Hello' }) })).status).toBe(200);

		expect([...triggers.map(({ taken }) => textsOf(taken)), place.read - before]).toEqual([
			['Hello'],
			['Hello'],
			2,
		]);
		for (const trigger of triggers) await trigger.deactivate();
		expect((await place.config())?.is_active).toBe(false);
	});
});
