import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { nightly } from '../support/nightly';
import { messagingChannelTrigger, workflow } from '../support/n8n/workflow';
import { freePort } from '../support/n8n/ports';
import { createAuthority } from '../support/tls/certificates';
import { startTlsFront } from '../support/tls/servers';
import { close, createStrippingProxy, listen } from '../support/localServer';
import { ask, askNode, links, outcome, submit, texts } from '../support/world/asking';
import { activateTrigger, createTrigger, receivedTexts, removeTrigger } from '../support/world/triggerWorld';
import { startWorld, type World } from '../support/world/world';

let world: World;
const ids: string[] = [];
const ends: Array<() => Promise<unknown>> = [];

afterEach(async () => {
	for (const id of ids.splice(0)) await removeTrigger(world, id);
	await world?.service.control.reset();
});
const stopAll = async () => {
	await world?.stop();
	for (const end of ends.splice(0)) await end();
};

const CUSTOMER = '905551234567';

const write = async (body: string) => {
	await world.service.control.incomingMessage({ from: CUSTOMER, body });
	await world.service.control.idle();
};

const publish = async () => {
	const id = await activateTrigger(world, { events: ['message.received'] });
	ids.push(id);
	return id;
};

/** Publishes two workflows, tests a third one, and sees that each gets the event. */
const publishShareAndTest = async (production: string) => {
	const first = await publish();
	const { config } = await world.service.control.webhook();
	expect(config?.url.startsWith(`${production}/`)).toBe(true);
	const second = await publish();
	const tested = await createTrigger(world, { events: ['message.received'] });
	ids.push(tested);
	await world.n8n.api.listenForTestEvent(tested);

	await write('Hello');

	for (const id of [first, second, tested]) expect(await receivedTexts(world, id, 1)).toEqual(['Hello']);
};

/**
 * Asks, and answers by the link.
 *
 * @param waiting where the links begin
 * @param reached how they are reached, where nobody here trusts the certificate
 */
const askAndAnswer = async (waiting: string, reached = waiting) => {
	const byLink = await ask(world);
	const { Approve: link = '' } = await links(world);
	expect(link.startsWith(`${waiting}/`)).toBe(true);
	expect((await submit(link.replace(waiting, reached))).status).toBe(200);
	expect((await outcome(world, byLink)).items).toMatchObject([{ json: { data: { approved: true } } }]);
};

// Other addresses are shown in the engine.
nightly.describe('below a path that a proxy removes', () => {
	let proxy: string;
	let port: number;

	beforeAll(async () => {
		port = await freePort();
		const server = createStrippingProxy(port, '/n8n');
		proxy = await listen(server);
		ends.push(async () => await close(server));
		world = await startWorld({
			port,
			env: { N8N_PATH: '/n8n/', WEBHOOK_URL: `${proxy}/n8n/`, N8N_PROXY_HOPS: '1' },
		});
	});
	afterAll(stopAll);

	test('it is published, shared, tested', async () => await publishShareAndTest(`${proxy}/n8n/webhook`));
	test('it polls for the message of a test, while no workflow is published', async () => {
		await write('Before');
		const id = await createTrigger(world, { events: ['message.received'], listen: 'poll' });
		ids.push(id);
		await world.n8n.api.listenForTestEvent(id);
		expect(await receivedTexts(world, id, 1)).toEqual(['Before']);
	});
	test('it refuses to ask, in words', async () => {
		const trigger = messagingChannelTrigger({ events: ['message.received'] }, world.credential);
		const { id } = await world.n8n.api.createWorkflow(workflow('Asks', [trigger, askNode(world)]));
		ids.push(id);
		await world.n8n.api.activate(id);

		await write('Hello');

		const [execution] = await world.n8n.api.waitForExecutions(id, 1);
		expect(execution?.error?.message).toBe(
			"'Message' cannot be answered, because n8n refuses the links that it signs itself",
		);
		expect(await texts(world)).toEqual([]);
	});
	test('it asks, and gets answers, when its URLs for others have no path', async () => {
		await world.n8n.restart({ env: { N8N_WEBHOOK_URL: `${proxy}/` } });

		await askAndAnswer(`${proxy}/webhook-waiting`);
	});
});

describe('behind https, with a host in capitals, and an IPv6 address for tests', () => {
	let origin: string;

	beforeAll(async () => {
		const port = await freePort();
		const authority = createAuthority();
		const front = await startTlsFront(`http://127.0.0.1:${port}`, authority.issue({ hosts: ['localhost'] }));
		const byIpv6 = createTcpServer((socket) => {
			const upstream = connect(port, '127.0.0.1');
			socket.pipe(upstream).pipe(socket);
			for (const each of [socket, upstream]) each.on('error', () => each.destroy());
		}).listen(0, '::1');
		await once(byIpv6, 'listening');
		ends.push(
			async () => await front.stop(),
			async () => await close(byIpv6),
		);
		origin = front.origin.replace('127.0.0.1', 'LocalHost');
		const folder = await mkdtemp(join(tmpdir(), 'authority-'));
		ends.push(async () => await rm(folder, { recursive: true }));
		const file = join(folder, 'authority.pem');
		await writeFile(file, authority.cert);
		world = await startWorld(
			{
				port,
				env: {
					WEBHOOK_URL: origin,
					N8N_EDITOR_BASE_URL: `http://[::1]:${(byIpv6.address() as AddressInfo).port}`,
					N8N_PROXY_HOPS: '1',
					NODE_EXTRA_CA_CERTS: file,
				},
			},
			{ trusted: authority.cert },
		);
	});
	afterAll(stopAll);

	test('it is published, shared, tested', async () => await publishShareAndTest(`${origin}/webhook`));
	test('it asks, and gets answers', async () => {
		const path = '/webhook-waiting';
		await askAndAnswer(`${origin.toLowerCase()}${path}`, `${world.n8n.url}${path}`);
	});
});
