import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { startNginx, type Nginx } from '../support/cluster/nginx';
import { close, listen } from '../support/localServer';

/** nginx leaves a server alone for so long that was not ready: `fail_timeout`. */
const PAUSE_MS = 10_000;

/** Answers as n8n does: ready for events, or starting, when it says 200 to all but those who ask whether it is ready. */
interface FakeN8n {
	server: Server;
	port: number;
	isReady: boolean;
	/** The bodies of what it took. */
	taken: string[];
}

async function startFakeN8n(): Promise<FakeN8n> {
	const server = createServer(async (request, response) => {
		let body = '';
		for await (const chunk of request) body += String(chunk);
		if (request.url === '/healthz/readiness') response.statusCode = fake.isReady ? 200 : 503;
		else if (fake.isReady) fake.taken.push(body);
		response.end(fake.isReady ? '{}' : 'n8n is starting up. Please wait');
	});
	const port = Number(new URL(await listen(server)).port);
	const fake: FakeN8n = { server, port, isReady: true, taken: [] };
	return fake;
}

let one: FakeN8n;
let other: FakeN8n;
let nginx: Nginx;

beforeEach(async () => {
	[one, other] = [await startFakeN8n(), await startFakeN8n()];
	nginx = await startNginx(one.port, [one.port, other.port]);
});
afterEach(async () => {
	await nginx?.remove();
	for (const fake of [one, other]) if (fake) await close(fake.server);
});

async function deliver(event: string, headers: Record<string, string> = {}): Promise<number> {
	const { status } = await fetch(`${nginx.url}/webhook/path`, {
		method: 'POST',
		headers: { 'X-Service-Event-Id': event, ...headers },
		body: event,
	});
	return status;
}

const events = Array.from({ length: 20 }, (_, index) => `event ${index}`);

test('all copies of an event go to one webhook processor', async () => {
	for (const event of [...events, ...events]) expect(await deliver(event)).toBe(200);
	expect([...new Set(one.taken), ...new Set(other.taken)].sort()).toEqual([...events].sort());
	expect(one.taken).not.toEqual([]);
	expect(other.taken).not.toEqual([]);
});

test('with the lines for accounts, all events of an account go to one webhook processor', async () => {
	await nginx.choosePer('account');
	const accounts = events.map((_, index) => `account ${index}`);
	for (const account of accounts)
		for (const event of ['first', 'second', 'third'])
			expect(await deliver(`${account}, ${event}`, { 'X-Service-Account-Id': account })).toBe(200);

	const accountsOf = ({ taken }: FakeN8n) => new Set(taken.map((body) => body.split(',')[0]));
	expect([...accountsOf(one), ...accountsOf(other)].sort()).toEqual([...accounts].sort());
	expect(one.taken.length + other.taken.length).toBe(3 * accounts.length);
	expect(one.taken).not.toEqual([]);
	expect(other.taken).not.toEqual([]);
});

test('a webhook processor that is starting gets no event', async () => {
	one.isReady = false;
	for (const event of events) expect(await deliver(event)).toBe(200);
	expect(other.taken).toEqual(events);
});

test('while all of them are starting, events are refused, and delivered again later', async () => {
	one.isReady = other.isReady = false;
	for (const event of events) expect(await deliver(event)).toBe(500);
	one.isReady = other.isReady = true;
	for (const end = Date.now() + 12 * PAUSE_MS; Date.now() < end && (await deliver('again')) !== 200;)
		await sleep(100);
	expect([...one.taken, ...other.taken]).toEqual(['again']);
});
