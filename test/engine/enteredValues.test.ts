import type { IDataObject } from 'n8n-workflow';

import { settings } from '../support/engine/context';
import { person, useEngine } from '../support/engine/engine';

const engine = useEngine();

const to = { __rl: true, mode: 'phone', value: person(1) };
const message = 'Hello';
const broadcast = { name: 'Sale', recipients: person(1), message };

/** Runs one item, whose expressions read `value`. */
const run = async (operation: string, value: unknown, { options = {}, ...parameters }: IDataObject) =>
	await engine.run({ operation, items: [{ value } as IDataObject], parameters, options } as never);

const VALUE = '={{ $json.value }}';

describe('is sent as it was meant', () => {
	test.each<[string, string, unknown, IDataObject, IDataObject]>([
		[
			'the URL of a file without spaces around it',
			'media:send',
			' https://example.com/a.jpg\n',
			{ to, mediaSource: 'url', mediaUrl: VALUE },
			{ media_url: 'https://example.com/a.jpg' },
		],
		[
			'names, and a text with its own spaces',
			'template:create',
			' order \n',
			{ name: VALUE, content: ' Hello\n', additionalFields: { language: ' en\n' } },
			{ name: 'order', content: ' Hello\n', language: 'en' },
		],
		[
			'names of placeholders with and without their braces',
			'template:create',
			'',
			{
				name: 'order',
				content: 'Hello {{name}}, {{day}}',
				additionalFields: { variables: '{{name}}, {{ time }}, day' },
			},
			{ variables: ['name', 'time', 'day'] },
		],
		[
			'what a customer writes, whatever it looks like',
			'message:send',
			'[object Object] Invalid DateTime',
			{ to, message: "=You wrote {{ $json.value }} {{ $json['value'].trim() }}" },
			{ message: `You wrote ${'[object Object] Invalid DateTime '.repeat(2).trim()}` },
		],
		[
			'the name and type of a file',
			'media:send',
			' a.png\n',
			{
				to,
				mediaSource: 'base64',
				mediaData: 'QUJD',
				mimetype: ' image/png\n',
				additionalFields: { filename: VALUE },
			},
			{ filename: 'a.png', mimetype: 'image/png' },
		],
		[
			'recipients that a model writes as JSON',
			'broadcast:create',
			`["+${person(1)}", ${person(2)}]`,
			{ ...broadcast, recipients: VALUE },
			{ recipients: [person(1), person(2)] },
		],
	])('%s', async (_, operation, value, parameters, body) => {
		await engine.service.control.seed({ contacts: [{ phone: person(1) }] });
		const { error } = await run(operation, value, parameters);

		expect(error).toBeUndefined();
		expect((await engine.requests()).map((request) => request.body)).toMatchObject([body]);
	});

	test.each<[string, string, unknown, IDataObject, string, IDataObject]>([
		['an ID', 'broadcast:get', ' 3f2b8c1e\n', { broadcastId: VALUE }, '3f2b8c1e', {}],
		[
			'a contact from the list, whatever its number',
			'contact:check',
			'',
			{ phone: { __rl: true, mode: 'list', value: '5551234567', cachedResultName: 'Ada' } },
			'check',
			{},
		],
	])('in the address of a request: %s', async (_, operation, value, parameters, place, query) => {
		await run(operation, value, parameters);

		const [request] = await engine.requests();
		expect([request?.path.split('/').at(-1), request?.query]).toEqual([place, query]);
	});

	test.each([
		['0 (555) 111-22-33', '5551112233'],
		[' \u202a+90 555 111 22 33\u202c\n', '905551112233'],
		['007', '007'],
		['1.5', '1.5'],
		['(532)', '532'],
		[' Ada Lovelace\n', 'Ada Lovelace'],
		['', undefined],
	])('a search for contacts: %j', async (value, search) => {
		await run('contact:getAll', value, { filters: { search: VALUE } });
		expect((await engine.requests()).map(({ query }) => query.search)).toEqual([search]);
	});
});

test('an empty entry of a list is left out', async () => {
	await run('broadcast:create', '', { ...broadcast, recipients: `=${person(1)}, {{ $json.value }}` });
	const [request] = await engine.requests();
	expect(request?.body).toMatchObject({ recipients: [person(1)] });
});

test('a choice that was added is left out when its expression gives nothing', async () => {
	await run('contact:getAll', '', { filters: { isChannelUser: VALUE } });
	const [request] = await engine.requests();
	expect(request?.query).not.toHaveProperty('is_channel_user');
});

test('a limit is kept when an expression gives "false" as text', async () => {
	await engine.service.control.seed({
		contacts: Array.from({ length: 120 }, (_, index) => ({ phone: person(index) })),
	});
	const { output } = await run('contact:getAll', 'false', { returnAll: VALUE, limit: 2 });
	expect(output).toHaveLength(2);
	expect(await engine.requests()).toHaveLength(1);
});

test('a file from a Code node may be a data URL', async () => {
	const picture = Buffer.from('picture');
	const data = `data:image/png;base64,${picture.toString('base64')}`;
	const { error } = await engine.run({
		operation: 'media:send',
		items: [{}],
		binary: { data: { data, mimeType: 'image/png', fileName: 'a.png' } },
		parameters: { to },
	});
	expect(error).toBeUndefined();
	const [request] = await engine.requests();
	expect(request?.multipart?.file).toMatchObject({ size: picture.length });
});

test('a date of a spreadsheet is sent as the advice says', async () => {
	const scheduledAt = "={{ DateTime.fromFormat($json.value, 'dd.MM.yyyy HH:mm') }}";
	await run('scheduledMessage:create', '31.12.2098 09:00', { to, message, scheduledAt });
	const [request] = await engine.requests();
	expect(request?.body).toMatchObject({ scheduled_at: '2098-12-31T06:00:00.000Z' });
});

test("a time without a zone is in that of n8n where the workflow's is 'DEFAULT'", async () => {
	const timezone = jest.replaceProperty(settings, 'timezone', 'DEFAULT');
	await run('scheduledMessage:create', '2099-01-01T09:00:00', { to, message, scheduledAt: VALUE });
	timezone.restore();
	const [request] = await engine.requests();
	expect(request?.body).toMatchObject({ scheduled_at: '2099-01-01T14:00:00.000Z' });
});
