import type { IHttpRequestOptions } from 'n8n-workflow';

import { eventually } from '../support/poll';
import { createAuthority } from '../support/tls/certificates';
import {
	startBreakingTls,
	startTlsFront,
	startWithoutTls,
	type Answer,
	type Stand,
} from '../support/tls/servers';
import { CONTINUES, person, useEngine } from '../support/engine/engine';
import { stored, type RunOptions } from '../support/engine/run';

const engine = useEngine();

const DAY_MS = 24 * 60 * 60 * 1000;
const HOSTS = { hosts: ['127.0.0.1'] };
const OVER = { ...HOSTS, from: Date.now() - 2 * DAY_MS, until: Date.now() - DAY_MS };

const authority = createAuthority();
const good = () => authority.issue(HOSTS);

const items = [{ to: person(1), message: 'Hello' }];

const open: Stand[] = [];
afterEach(async () => {
	for (const stand of open.splice(0)) await stand.stop();
});

const started = async (starting: Promise<Stand>): Promise<Stand> => {
	const stand = await starting;
	open.push(stand);
	return stand;
};

/** Sends the message to an address, with a key that the service knows. */
const sendTo = async (origin: string, more: Partial<RunOptions> = {}) =>
	await engine.run({
		items,
		credential: { baseUrl: origin, apiKey: engine.service.apiKey },
		node: CONTINUES,
		options: { afterAmbiguousSend: 'fail' },
		...more,
	});

type Transport = NonNullable<RunOptions['transport']>;

const changing =
	(changes: Partial<IHttpRequestOptions>): Transport =>
	async (options, send) => {
		Object.assign(options, changes);
		return await send();
	};

/** As NODE_EXTRA_CA_CERTS makes n8n: it knows the authority. */
const trusting = changing({ agentOptions: { ca: authority.cert } });
/** Long enough for the request to arrive on a busy machine. */
const trustingForAWhile = changing({ agentOptions: { ca: authority.cert }, timeout: 5000 });

/** A connection that is never made, and what the user reads of it. */
interface Obstacle {
	name: string;
	start: () => Promise<Stand>;
	transport?: Transport;
	/** What happened, and what stands in the advice. */
	says: string;
	advises: RegExp;
	/** Whether it is tried again by itself. */
	again?: true;
	/** Whether a new certificate and a known authority put it right. */
	isCertificate?: true;
}

const front = async (options: Parameters<typeof startTlsFront>[1]) =>
	await startTlsFront(engine.service.origin, options);
const endsAfterHello = async () => await startWithoutTls((socket) => socket.once('data', () => socket.end()));

const obstacles: Obstacle[] = [
	{
		name: 'a certificate that has expired',
		start: async () => await front(authority.issue(OVER)),
		transport: trusting,
		says: 'The certificate of the service has expired',
		advises: /renew it.*\(CERT_HAS_EXPIRED\)/,
		isCertificate: true,
	},
	{
		name: 'a certificate of an unknown authority',
		start: async () => await front(good()),
		says: 'The certificate of the service is not from a trusted authority',
		advises: /NODE_EXTRA_CA_CERTS.*restart n8n.*\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)/,
		isCertificate: true,
	},
	{
		name: 'a server without TLS',
		start: async () => await startWithoutTls((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
		says: 'n8n and the service could not establish a secure connection',
		advises: /whether the service uses 'https' or 'http'/,
	},
	{
		name: 'a server that closes the connection during the handshake',
		start: endsAfterHello,
		says: 'The connection to the service was lost',
		advises: /\(ECONNRESET\)/,
		again: true,
	},
	{
		name: 'a server that keeps silent during the handshake',
		start: async () => await startWithoutTls(() => {}),
		transport: changing({ timeout: 300 }),
		says: 'The service did not respond in time',
		advises: /\(ECONNABORTED\)/,
		again: true,
	},
	{
		// All that is ever reached.
		name: 'a proxy that closes the connection',
		start: endsAfterHello,
		transport: async (options, send) => {
			const proxy = { host: '127.0.0.1', port: Number(new URL(options.url).port) };
			return await changing({ proxy })(options, send);
		},
		says: 'The service could not be reached',
		advises: /\(no response\)/,
		again: true,
	},
];

test.each(obstacles)(
	'to $name nothing is sent, and "Retry execution" sends it when that is repaired',
	async ({ start, transport, says, advises, again, isCertificate }) => {
		const stand = await started(start());

		const { output, clock, execution } = await sendTo(stand.origin, { transport });

		const description = expect.stringMatching(advises) as string;
		expect(output).toEqual([
			{
				json: {
					error: says,
					code: 'network_error',
					httpStatus: null,
					description,
					to: person(1),
					outcome: 'not_sent',
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(stand.received()).not.toContain('messages/send');
		expect(clock.waits).toEqual(again ? [1000, 2000, 4000] : []);
		// A client that waits no longer can be gone before its connection is noticed.
		await eventually(stand.connections, (count) => count === (again ? 4 : 1));
		expect(await engine.requests()).toEqual([]);

		stand.show(good());
		const origin = isCertificate ? stand.origin : engine.service.origin;
		const second = await sendTo(origin, { execution: stored(execution), transport: trusting });

		expect(second.output).toEqual([
			{ json: expect.objectContaining({ queued: true }) as object, pairedItem: { item: 0 } },
		]);
		expect(second.output[0]?.json).not.toHaveProperty('already_sent');
		expect(await engine.accepted()).toEqual(['Hello']);
	},
);

const broken: Array<[string, string, Answer]> = [
	['closes the connection', 'ECONNRESET', (secure) => secure.end()],
	['answers without TLS', 'ERR_SSL_', (_, raw) => raw.write('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(9))],
	[
		'answers half',
		'ERR_BAD_RESPONSE',
		(secure) => secure.end('HTTP/1.1 202 OK\r\ncontent-length: 99\r\n\r\n{'),
	],
];

test.each(broken)(
	'a message to a server that receives it and %s may have been sent, and never is again',
	async (_, code, answer) => {
		const stand = await started(startBreakingTls(good(), answer));

		const first = await sendTo(stand.origin, { transport: trustingForAWhile });
		const second = await sendTo(stand.origin, { execution: stored(first.execution), transport: trusting });

		const error = 'The service did not confirm the message, but it may have been sent';
		for (const { output } of [first, second]) {
			expect(output).toEqual([
				{ json: expect.objectContaining({ error, ambiguous: true }) as object, pairedItem: { item: 0 } },
			]);
		}
		expect(first.output[0]?.json.description).toContain(code);
		expect(first.clock.waits).toEqual([]);
		expect(stand.received().match(/POST \S+\/messages\/send /g)).toHaveLength(1);
		expect(stand.connections()).toBe(1);
	},
);

describe('a redirect', () => {
	const location = 'https://new.example.com/api/v1/whatsapp/external/messages/send';
	const redirecting = async (status: number, when?: 'after') =>
		await engine.service.control.addFault({
			kind: 'redirect',
			status,
			location,
			when,
			operationId: 'message.send',
		});

	test('301 has taken nothing, and "Retry execution" sends it', async () => {
		await redirecting(301);

		const first = await engine.run({ items, node: CONTINUES });
		const second = await engine.run({ items, execution: stored(first.execution) });

		expect(first.output).toEqual([
			{
				json: {
					error: "The 'Base URL' in the credential redirects to another address",
					code: 'unexpected_answer',
					httpStatus: 301,
					to: person(1),
					outcome: 'not_sent',
					description: expect.stringMatching(
						/^It redirects to https:\/\/new\.example\.com\/api\/v1\/whatsapp\/external\. If the service is there/,
					) as string,
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(first.clock.waits).toEqual([]);
		expect(second.output).toEqual([
			{ json: expect.objectContaining({ queued: true }) as object, pairedItem: { item: 0 } },
		]);
		expect(second.output[0]?.json).not.toHaveProperty('already_sent');
		expect(await engine.accepted()).toEqual(['Hello']);
	});

	test('302 may come after the message was taken, so it is never sent again', async () => {
		await redirecting(302, 'after');

		const options = { afterAmbiguousSend: 'fail' };
		const first = await engine.run({ items, node: CONTINUES, options });
		await engine.run({ items, node: CONTINUES, options, execution: stored(first.execution) });

		expect(first.output[0]?.json).toMatchObject({
			ambiguous: true,
			httpStatus: 302,
			description: expect.stringContaining('It redirects to https://new.example.com') as string,
		});
		expect(await engine.accepted()).toEqual(['Hello']);
	});
});
