import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INodeParameters } from 'n8n-workflow';

import { byId, byPhone } from '../support/operations/parameters';
import type { Control, Fault } from '../support/service/control';
import { permissions, type Permission } from '../support/service/records';
import { prepareService } from '../support/operations/expectations';
import { OPERATION, runOperation } from '../support/world/operationRun';
import { startWorld, type World } from '../support/world/world';

let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

/** A way to make the service refuse, and what the user must be told. */
interface Refusal {
	code: string;
	httpStatus: number | null;
	/** Makes the service refuse what it would take otherwise. */
	given?: (control: Control) => Promise<unknown>;
	/** `<resource>:<operation>` */
	operation: string;
	parameters?: INodeParameters;
	/** What happened, and what to do. */
	says: RegExp;
	advises: RegExp;
	/** Words of the service itself, which the description quotes. */
	quotes?: string;
	ambiguous?: true;
}

function selectedBy(name: string) {
	const [resource = '', operation = ''] = name.split(':');
	return { resource, operation };
}

const message = { to: byPhone('905551234567'), message: 'Hello' };

/** Tries once, so that no test waits for the pauses between tries. */
const once = { maxAttempts: 1 };

const fault = (effect: Fault) => async (control: Control) =>
	await control.addFault({ times: 'always', ...effect });

const refusals: Refusal[] = [
	{
		code: 'validation_error',
		httpStatus: 400,
		operation: 'message:send',
		parameters: { ...message, message: 'x'.repeat(5000) },
		says: /rejected a value/,
		advises: /Correct the value/,
		quotes: 'The field message must NOT have more than 4096 characters.',
	},
	{
		code: 'account_not_connected',
		httpStatus: 400,
		given: async (control) => await control.setAccount({ status: 'disconnected' }),
		operation: 'message:send',
		parameters: message,
		says: /account is not connected/,
		advises: /Reconnect it in the account panel/,
		quotes: 'The channel account is disconnected.',
	},
	{
		code: 'not_found',
		httpStatus: 404,
		operation: 'template:get',
		parameters: { templateId: byId('33333333-3333-4333-8333-333333333333') },
		says: /No record with this ID/,
		advises: /Check the ID/,
		quotes: 'The template 33333333-3333-4333-8333-333333333333 was not found.',
	},
	{
		code: 'rate_limit_exceeded',
		httpStatus: 429,
		given: async (control) => await control.setRateLimit({ limit: 0, windowSeconds: 3600 }),
		operation: 'account:get',
		parameters: { options: { ...once, maxRateLimitWait: 0 } },
		says: /reached its rate limit/,
		advises: /[Ww]ait until/,
		quotes: 'The rate limit is exceeded; wait for X-RateLimit-Reset.',
	},
	{
		code: 'internal_error',
		httpStatus: 500,
		given: fault({ kind: 'status', status: 500 }),
		operation: 'account:get',
		parameters: { options: once },
		says: /could not process the request/,
		advises: /Wait a moment, then run again/,
		quotes: 'A fault on command.',
	},
	{
		code: 'send_timeout',
		httpStatus: 504,
		given: async (control) => {
			await control.configure({ syncTimeoutMs: 50 });
			await control.holdQueue();
		},
		operation: 'message:send',
		parameters: { ...message, options: { sync: true, afterAmbiguousSend: 'fail' } },
		says: /may have been sent/,
		advises: /Before you send it again/,
		quotes: 'The message was not sent in time; it may still be delivered.',
		ambiguous: true,
	},
	{
		code: 'too_many_phones',
		httpStatus: 400,
		given: async (control) => await control.configure({ maxPhones: 1 }),
		operation: 'contact:sync',
		parameters: { phones: '905551234567, 905551234568' },
		says: /more phone numbers than/,
		advises: /Split the list/,
		quotes: 'At most 1 phones fit in one call; split the list.',
	},
	{
		code: 'invalid_date',
		httpStatus: 400,
		operation: 'scheduledMessage:create',
		parameters: {
			...message,
			scheduledAt: '2035-06-01T09:00:00',
			options: { bodyFields: '{ "scheduled_at": "soon" }' },
		},
		says: /Scheduled At/,
		advises: /Enter a date and time/,
		quotes: 'The field scheduled_at must match format "date-time".',
	},
	{
		code: 'invalid_trigger_type',
		httpStatus: 400,
		operation: 'autoReply:create',
		parameters: { name: 'Moon', triggerType: 'full_moon', triggerValue: 'full', reply: 'Howl' },
		says: /Trigger Type/,
		advises: /one of the trigger types/,
		quotes: 'keyword, regex, office_hours',
	},
	{
		code: 'content_blocked',
		httpStatus: 400,
		operation: 'message:send',
		parameters: { ...message, message: 'a forbiddenword' },
		says: /content policy/,
		advises: /Change the text/,
		quotes: 'The content policy does not allow this message.',
	},
	{
		code: 'no_media',
		httpStatus: 404,
		given: async (control) =>
			await control.seed({ messages: [{ chatId: '905551234567@c.us', body: 'only words' }] }),
		operation: 'media:downloadFromMessage',
		parameters: { messageId: 'false_905551234567@c.us_000000000001' },
		says: /no media/,
		advises: /Check the message ID/,
		quotes: 'The message does not exist or has no media.',
	},
	{
		code: 'invalid_filename',
		httpStatus: 400,
		operation: 'media:downloadFile',
		parameters: { filename: '..%2Faccount' },
		says: /does not accept this file name/,
		advises: /exactly as the service returned it/,
		quotes: 'The filename has invalid characters.',
	},
	{
		code: 'contact_not_found',
		httpStatus: 404,
		operation: 'contact:get',
		parameters: { phone: byPhone('905559999999') },
		says: /No contact with this phone number/,
		advises: /Check the number/,
		quotes: 'There is no contact with 905559999999.',
	},
	{
		code: 'something_new',
		httpStatus: 418,
		given: fault({ kind: 'status', status: 418, error: 'something_new' }),
		operation: 'account:get',
		says: /'something_new' \(HTTP 418\)/,
		advises: /documentation of the service/,
		quotes: 'A fault on command.',
	},
	{
		code: 'unexpected_answer',
		httpStatus: 200,
		given: fault({ kind: 'html', status: 200 }),
		operation: 'account:get',
		parameters: { options: once },
		says: /not in the format of the messaging service/,
		advises: /proxy or firewall/,
	},
	{
		code: 'unexpected_answer',
		httpStatus: 200,
		given: fault({ kind: 'bad-json', status: 200 }),
		operation: 'chat:getAll',
		parameters: { options: once },
		says: /not in the format of the messaging service/,
		advises: /proxy or firewall/,
	},
	{
		code: 'unexpected_answer',
		httpStatus: 200,
		given: fault({ kind: 'empty', status: 200 }),
		operation: 'message:getQueue',
		parameters: { options: once },
		says: /not in the format of the messaging service/,
		advises: /proxy or firewall/,
	},
	{
		code: 'unexpected_answer',
		httpStatus: 200,
		given: fault({ kind: 'html', status: 200 }),
		operation: 'message:send',
		parameters: { ...message, options: { afterAmbiguousSend: 'fail' } },
		says: /may have been sent/,
		advises: /Before you send it again/,
		ambiguous: true,
	},
	{
		code: 'unexpected_answer',
		httpStatus: 302,
		given: fault({ kind: 'redirect', location: '/login' }),
		operation: 'account:get',
		parameters: { options: once },
		says: /redirects to another address/,
		advises: /Base URL/,
	},
];

describe.each(refusals)('$code (HTTP $httpStatus) of $operation', (refusal) => {
	const { code, httpStatus, given, operation, parameters = {}, says, advises, quotes, ambiguous } = refusal;

	let place: Pick<World, 'n8n' | 'credential'>;

	beforeEach(async () => {
		await prepareService(world, {});
		// n8n knows nothing of this account's rate window yet.
		place = { n8n: world.n8n, credential: await credentialOfAnother(await keyWith(permissions)) };
		await given?.(world.service.control);
	});

	test('stops the workflow and tells what happened, what to do and what the service said', async () => {
		const execution = await runOperation(place, selectedBy(operation), parameters);
		expect(execution.status).toBe('error');
		const error = execution.nodeError(OPERATION);
		expect(error?.message).toMatch(says);
		expect(error?.description).toMatch(advises);
		expect(error?.description).toContain(quotes ?? '');
		expect(error?.httpCode).toBe(String(httpStatus));
		expect(error?.context).toMatchObject({ itemIndex: 0 });
		expect(execution.error?.message).toBe(error?.message);
	});

	test('is an item to branch on with Continue On Fail', async () => {
		const execution = await runOperation(place, selectedBy(operation), parameters, {
			onError: 'continueRegularOutput',
		});
		expect(execution.status).toBe('success');
		expect(execution.items(OPERATION)).toEqual([
			{
				json: {
					error: expect.stringMatching(says),
					code,
					httpStatus,
					description: expect.stringMatching(advises),
					...(ambiguous && { ambiguous }),
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	test('goes to the error output where there is one, with the data of its item', async () => {
		const execution = await runOperation(place, selectedBy(operation), parameters, {
			onError: 'continueErrorOutput',
			input: [{ json: { order: 'A-1' } }],
		});
		expect(execution.status).toBe('success');
		expect(execution.items(OPERATION, 0)).toEqual([]);
		expect(execution.items(OPERATION, 1).map(({ json }) => json)).toEqual([
			{
				order: 'A-1',
				error: expect.stringMatching(says),
				code,
				httpStatus,
				description: expect.stringMatching(advises),
				...(ambiguous && { ambiguous }),
			},
		]);
	});
});

async function credentialOfAnother(secrets: { baseUrl?: string; apiKey?: string }) {
	return await world.n8n.api.createCredential('messagingChannelApi', 'Another account', {
		...world.secrets,
		...secrets,
	});
}

async function keyWith(wanted: readonly Permission[]) {
	return await world.service.control.createKey({ permissions: [...wanted] });
}

/** Runs an operation with a credential of its own. */
async function runWith(
	secrets: { baseUrl?: string; apiKey?: string },
	operation: string,
	parameters: INodeParameters = {},
) {
	const there = { n8n: world.n8n, credential: await credentialOfAnother(secrets) };
	const selected = selectedBy(operation);
	return {
		error: (await runOperation(there, selected, parameters)).nodeError(OPERATION),
		item: (await runOperation(there, selected, parameters, { onError: 'continueRegularOutput' })).items(
			OPERATION,
		)[0]?.json,
	};
}

test('says of an unknown API key where to enter another', async () => {
	await prepareService(world, {});
	const { error, item } = await runWith({ apiKey: 'no-such-key' }, 'account:get');
	expect(error).toMatchObject({
		message: expect.stringContaining('rejected the API key'),
		httpCode: '401',
	});
	expect(error?.description).toContain('Open the credential');
	expect(error?.description).toContain('The API key is missing or invalid.');
	expect(item).toMatchObject({ code: 'invalid_api_key', httpStatus: 401 });
	// n8n's own handling of a 401 would send each request twice.
	expect(await world.service.control.requests()).toHaveLength(2);
});

test.each([
	{ permission: 'chats:read', operation: 'chat:getAll', parameters: {} },
	{ permission: 'chats:write', operation: 'tag:create', parameters: { name: 'VIP' } },
	{ permission: 'messages:read', operation: 'message:getQueue', parameters: {} },
	{ permission: 'messages:send', operation: 'message:send', parameters: message },
] as const)(
	'names the permission $permission that the key lacks',
	async ({ permission, operation, parameters }) => {
		await prepareService(world, {});
		const { apiKey } = await keyWith(permissions.filter((held) => held !== permission));
		const { error, item } = await runWith({ apiKey }, operation, parameters);
		expect(error).toMatchObject({ message: expect.stringContaining(`'${permission}'`), httpCode: '403' });
		expect(error?.description).toContain('Add the permission to the key in the account panel');
		expect(error?.description).toContain(`The API key lacks the permission ${permission}.`);
		expect(item).toMatchObject({ code: 'forbidden', httpStatus: 403 });
	},
);

/** An address where nothing listens. */
const nowhere = 'http://127.0.0.1:9';

test('says that the connection was refused', async () => {
	const { error, item } = await runWith({ baseUrl: nowhere }, 'account:get', { options: once });
	expect(error?.message).toContain('The connection to the service was refused');
	expect(error?.description).toContain("Check the 'Base URL'");
	expect(item).toEqual({
		error: expect.stringContaining('was refused'),
		code: 'network_error',
		httpStatus: null,
		description: expect.stringContaining('ECONNREFUSED'),
	});
});

test('does not call a message ambiguous that never left', async () => {
	const { item } = await runWith({ baseUrl: nowhere }, 'message:send', { ...message, options: once });
	expect(item).toMatchObject({ code: 'network_error', httpStatus: null });
	expect(item).not.toHaveProperty('ambiguous');
});

test('calls a message ambiguous whose connection broke', async () => {
	await prepareService(world, {});
	await world.service.control.addFault({ kind: 'reset', when: 'after', operationId: 'message.send' });
	const execution = await runOperation(
		world,
		selectedBy('message:send'),
		{ ...message, options: { afterAmbiguousSend: 'fail' } },
		{ onError: 'continueRegularOutput' },
	);
	expect(execution.items(OPERATION)[0]?.json).toMatchObject({
		code: 'network_error',
		httpStatus: null,
		ambiguous: true,
	});
	expect(await world.service.control.accepted()).toHaveLength(1);
});

test('does not follow a redirect to another host, so the key never gets there', async () => {
	await prepareService(world, {});
	const received: unknown[] = [];
	const elsewhere = createServer((request, response) => {
		received.push(request.headers);
		response.end('{"success":true,"data":{}}');
	});
	await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
	const { port } = elsewhere.address() as AddressInfo;
	const location = `http://localhost:${port}/api/v1/whatsapp/external/account`;
	await world.service.control.addFault({ kind: 'redirect', location, times: 'always' });
	try {
		const { error } = await runWith({}, 'account:get', { options: once });
		expect(error?.message).toContain('redirects to another address');
		expect(error?.description).toContain(
			`It redirects to http://localhost:${port}/api/v1/whatsapp/external.`,
		);
		expect(received).toEqual([]);
	} finally {
		await new Promise((resolve) => elsewhere.close(resolve));
	}
});

test('refuses every item before anything is sent when one of them is bad', async () => {
	await prepareService(world, {});
	const execution = await runOperation(
		world,
		selectedBy('message:send'),
		{ ...message, to: byPhone('={{ $json.to }}') },
		{ input: [{ json: { to: '905551234567' } }, { json: { to: 'Ada' } }, { json: { to: '905551234568' } }] },
	);
	expect(execution.nodeError(OPERATION)?.message).toContain("'Ada'");
	expect(execution.nodeError(OPERATION)?.context).toMatchObject({ itemIndex: 1 });
	expect(await world.service.control.requests()).toEqual([]);
});
