import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CONTINUES, person, useEngine } from '../support/engine/engine';

const engine = useEngine();

const to = { __rl: true, mode: 'phone', value: person(1) };

/** Runs one item, whose expressions read `value`. */
const run = async (operation: string, value: unknown, parameters: IDataObject, options: IDataObject = {}) =>
	await engine.run({ operation, items: [{ value } as IDataObject], parameters, options } as never);

const VALUE = '={{ $json.value }}';

describe('an expression that gives nothing for a choice', () => {
	test.each<[string, string, IDataObject, IDataObject?]>([
		['Media Source', 'media:send', { to, mediaSource: VALUE, mediaUrl: 'https://example.com/a.jpg' }],
		['Response Type', 'message:sendAndWait', { to, message: 'Ship it?', responseType: VALUE }],
		[
			'Type of Approval',
			'message:sendAndWait',
			{ to, message: 'Ship it?', approvalOptions: { values: { approvalType: VALUE } } },
		],
		[
			'Limit Type',
			'message:sendAndWait',
			{ to, message: 'Ship it?' },
			{ limitWaitTime: { values: { limitType: VALUE } } },
		],
		[
			'Unit',
			'message:sendAndWait',
			{ to, message: 'Ship it?' },
			{ limitWaitTime: { values: { resumeAmount: 1, resumeUnit: VALUE } } },
		],
		[
			'Amount',
			'message:sendAndWait',
			{ to, message: 'Ship it?' },
			{ limitWaitTime: { values: { resumeAmount: VALUE, resumeUnit: 'days' } } },
		],
		['Return All', 'contact:getAll', { returnAll: VALUE }],
		['Limit', 'contact:getAll', { returnAll: false, limit: VALUE }],
	])('is refused: %s', async (label, operation, parameters, options = {}) => {
		for (const nothing of ['', null]) {
			const { error } = await run(operation, nothing, parameters, options);
			expect(error?.message).toBe(`'${label}' is empty`);
		}
		expect(await engine.requests()).toEqual([]);
	});

	test('is not sent when it was added', async () => {
		await run('contact:getAll', '', { filters: { isChannelUser: VALUE } });
		const [request] = await engine.requests();
		expect(request?.query).not.toHaveProperty('is_channel_user');
	});
});

test('a country code is not left out when its expression gives nothing', async () => {
	const options = { defaultCountryCode: '={{ $json.misspelled }}' };
	const { error } = await run('message:send', 'a', { to: '535 123 45 67', message: VALUE }, options);
	expect(error?.message).toBe("'Default Country Code' has an expression that gives nothing");
	expect(await engine.requests()).toEqual([]);
});

test('a limit of concurrent requests is not left out when its expression gives nothing', async () => {
	const options = { maxConcurrency: '={{ $json.misspelled }}' };
	const { error } = await run('message:send', 'a', { to, message: VALUE }, options);
	expect(error?.message).toBe("'Max Concurrency' has an expression that gives nothing");
	expect(await engine.requests()).toEqual([]);
});

test('a pause is not left out when its expression gives nothing', async () => {
	const options = { pauseWhenQueueAbove: '={{ $json.misspelled }}' };
	const { error } = await run('message:send', 'a', { to, message: VALUE }, options);
	expect(error?.message).toBe("'Pause When Queue Above' has an expression that gives nothing");
	expect(await engine.requests()).toEqual([]);
});

test('a delay between messages is not left out when its expression gives nothing', async () => {
	const { error } = await run('broadcast:create', 'a', {
		name: 'Sale',
		recipients: person(1),
		message: VALUE,
		delayBetweenMessages: '={{ $json.misspelled }}',
	});
	expect(error?.message).toBe("'Delay Between Messages' has an expression that gives nothing");
	expect(await engine.requests()).toEqual([]);
});

// With no request in flight nothing would be sent, without a word; with fewer than no message in the queue, never.
test.each<[label: string, option: string, values: number[]]>([
	['Max Concurrency', 'maxConcurrency', [0, -1, 1.5, 101]],
	['Max Attempts', 'maxAttempts', [0, 1.5, 11]],
	['Max Rate Limit Wait (Seconds)', 'maxRateLimitWait', [-1]],
	['Pause When Queue Above', 'pauseWhenQueueAbove', [-1, 1.5]],
	['Priority', 'priority', [0, 1.5]],
])('an expression that gives no possible number for %s is refused', async (label, option, values) => {
	for (const value of values) {
		const { error } = await run('message:send', value, { to, message: 'Hello' }, { [option]: VALUE });
		expect(error?.message).toMatch(/ is (too small|too large|not a whole number): /);
		expect(error?.message).toContain(`'${label}'`);
	}
	expect(await engine.requests()).toEqual([]);
});

test('a limit is kept when an expression gives "false" as text', async () => {
	await engine.service.control.seed({
		contacts: Array.from({ length: 120 }, (_, index) => ({ phone: person(index) })),
	});
	const { output } = await run('contact:getAll', 'false', { returnAll: VALUE, limit: 2 });
	expect(output).toHaveLength(2);
	expect(await engine.requests()).toHaveLength(1);
});

describe('not all contacts are listed', () => {
	test.each(['tags', 'search'])('when the expression of %s gives nothing', async (filter) => {
		const { error } = await run('contact:getAll', 'a', { filters: { [filter]: '={{ $json.misspelled }}' } });
		expect(error?.message).toMatch(/^'(Tags|Search)' has an expression that gives nothing$/);
		expect(error?.description).toContain('If the field may be empty, let it give an empty text');
		expect(await engine.requests()).toEqual([]);
	});

	test.each([[[' ']], [',']])('when it gives %j', async (value) => {
		const { error } = await run('contact:getAll', value, { filters: { tags: VALUE } });
		expect(error?.message).toBe("'Tags' is empty");
		expect(await engine.requests()).toEqual([]);
	});
});

test('all contacts are listed when an expression gives an empty text', async () => {
	await run('contact:getAll', 'a', { filters: { search: '={{ $json.missing ?? "" }}' } });
	expect((await engine.requests()).map(({ query }) => query.search)).toEqual([undefined]);
});

test('nobody gets a message when the only tag to skip is blank', async () => {
	const { error } = await run('message:send', [' '], { to, message: 'Hello' }, { skipTags: VALUE });
	expect(error?.message).toBe("'Skip Contacts With Tags' is empty");
	expect(await engine.requests()).toEqual([]);
});

describe('a number that JSON has rounded', () => {
	const items = JSON.parse(`[
		{ "to": "${person(1)}", "message": "a", "id": 120363012345678901 },
		{ "to": "${person(2)}", "message": "b", "id": 120363012345678902 }
	]`) as IDataObject[];

	test('is no request ID, because two items would have the same', async () => {
		const { output } = await engine.run({
			items,
			node: CONTINUES,
			options: { requestId: '={{ $json.id }}' },
		});
		expect(output.map(({ json }) => json.error)).toEqual(
			items.map(() => "'Request ID' is a number whose last digits are lost: 120363012345678900"),
		);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(await engine.requests()).toEqual([]);
	});

	test.each([Number.NaN, Infinity])('is no text either: %d', async (value) => {
		const { error } = await run('message:send', value, { to, message: VALUE });
		expect(error?.message).toBe("'Message' is the result of a calculation that gives no number");
	});

	test.each([7, 1.5, -3, 2 ** 53 - 1])('is text when it is exact: %d', async (value) => {
		await run('message:send', value, { to, message: VALUE });
		expect((await engine.requests()).map(({ body }) => body)).toMatchObject([{ message: String(value) }]);
	});
});

test('an object is no text, whatever its fields', async () => {
	const { error } = await run('message:send', { valueOf: 1, toString: 2 }, { to, message: VALUE });
	expect(error?.message).toBe("'Message' is an object, not text");
});

test('an expression that fails names its field', async () => {
	const { output } = await engine.run({
		items: [{}],
		node: CONTINUES,
		parameters: { to, message: "={{ $('Nowhere').item.json.text }}" },
	});
	expect(output).toEqual([
		{
			json: expect.objectContaining({
				error: "'Message' has an expression that fails: Referenced node doesn't exist",
			}) as object,
			pairedItem: { item: 0 },
		},
	]);
});

describe('a file from a Code node', () => {
	const send = async (data: string) =>
		await engine.run({
			operation: 'media:send',
			items: [{}],
			binary: { data: { data, mimeType: 'image/png', fileName: 'a.png' } },
			parameters: { to },
		});

	test.each(['!!!', 'Hello world!'])('is refused when it is not Base64: %s', async (data) => {
		const { error } = await send(data);
		expect(error?.message).toBe(
			"'Input Binary Field' is 'data', but the file in that field is not valid Base64",
		);
		expect(await engine.requests()).toEqual([]);
	});

	test('may be a data URL', async () => {
		const picture = Buffer.from('picture');
		const { error } = await send(`data:image/png;base64,${picture.toString('base64')}`);
		expect(error).toBeUndefined();
		const [request] = await engine.requests();
		expect(JSON.stringify(request)).toContain(`"size":${picture.length}`);
	});
});

describe('spaces and line breaks around a value', () => {
	test('are not part of an ID', async () => {
		await run('broadcast:get', ' 3f2b8c1e\n', { broadcastId: VALUE });
		expect((await engine.requests()).map(({ path }) => path)).toEqual([expect.stringMatching(/\/3f2b8c1e$/)]);
	});

	test('are not part of the URL of a file', async () => {
		await run('media:send', ' https://example.com/a.jpg\n', { to, mediaSource: 'url', mediaUrl: VALUE });
		expect((await engine.requests()).map(({ body }) => body)).toMatchObject([
			{ media_url: 'https://example.com/a.jpg' },
		]);
	});

	test('are not part of the URL of the webhook', async () => {
		await run('webhook:set', ' https://example.com/events\n', { url: VALUE, events: ['message.received'] });
		expect((await engine.requests()).map(({ body }) => body)).toMatchObject([
			{ url: 'https://example.com/events' },
		]);
	});

	test('are not part of a name, by which a tag or template is found again', async () => {
		await run('tag:create', ' VIP\n', { name: VALUE });
		await run('template:create', ' order \n', { name: VALUE, content: ' Hello\n' });
		expect((await engine.requests()).map(({ body }) => body)).toEqual([
			{ name: 'VIP' },
			{ name: 'order', content: ' Hello\n' },
		]);
	});

	test('are not part of the name of a file to download, and of what templates are looked for by', async () => {
		await run('media:downloadFile', ' a.png\n', { filename: VALUE });
		await run('template:getAll', ' orders\n', { filters: { category: VALUE, search: VALUE } });
		const requests = await engine.requests();
		expect(requests.map(({ path, query }) => [path.split('/').at(-1), query])).toEqual([
			['a.png', {}],
			['templates', { category: 'orders', search: 'orders' }],
		]);
	});

	test('are not part of the name and type of a file', async () => {
		await run('media:send', ' a.png\n', {
			to,
			mediaSource: 'base64',
			mediaData: 'QUJD',
			mimetype: ' image/png\n',
			additionalFields: { filename: VALUE },
		});
		expect((await engine.requests()).map(({ body }) => body)).toMatchObject([
			{ filename: 'a.png', mimetype: 'image/png' },
		]);
	});
});

test.each([
	['contact:check', 'Contact', { phone: { ...to, value: VALUE } }],
	['contact:sync', 'Phone Numbers', { phones: VALUE }],
])('%s looks for no number of another country when a sheet has dropped the code', async (...given) => {
	const [operation, label, parameters] = given;
	for (const value of ['90555123456', 90555123456]) {
		const { error } = await run(operation, value, parameters);
		expect(error?.message).toBe(
			`'${label}' has no country code, or the wrong number of digits: '90555123456'`,
		);
	}
	expect(await engine.requests()).toEqual([]);
});

test('a contact from the list is checked, whatever its number', async () => {
	const phone = { __rl: true, mode: 'list', value: '5551234567', cachedResultName: 'Ada' };
	await run('contact:check', '', { phone });
	expect((await engine.requests()).map(({ path }) => path)).toEqual([
		expect.stringContaining('/contacts/5551234567/check'),
	]);
});

describe('an object with a number that is not the one that was written', () => {
	const ID = '{ "crm": [{ "id": 120363012345678901 }] }';

	test.each<[string, string, IDataObject, IDataObject?]>([
		['Custom Fields', 'contact:update', { phone: to, updateFields: { customFields: VALUE } }],
		[
			'Body Fields',
			'autoReply:create',
			{ name: 'a', triggerType: 'keyword', triggerValue: 'a', reply: 'a' },
			{ bodyFields: VALUE },
		],
	])('is refused in %s', async (label, operation, parameters, options = {}) => {
		for (const value of [ID, JSON.parse(ID) as IDataObject]) {
			const { error } = await run(operation, value, parameters, options);
			expect(error?.message).toBe(
				`'${label}' has a number whose last digits are lost in the field 'id': 120363012345678900`,
			);
		}
		expect(await engine.requests()).toEqual([]);
	});

	test('has no field if it stands in a list', async () => {
		const customFields = '{ "crm_ids": [120363012345678901] }';
		const { error } = await run('contact:update', customFields, {
			phone: to,
			updateFields: { customFields: VALUE },
		});
		expect(error?.message).toBe(
			"'Custom Fields' has a number whose last digits are lost: 120363012345678900",
		);
	});
});

test.each<[string, string, INodeParameters]>([
	["'Tags' contains a tag with a comma", 'contact:getAll', { filters: { tags: ['VIP, gold'] } }],
	["'URL' is not a valid URL: 'http://example.com'", 'webhook:set', { url: 'http://example.com' }],
	["'URL' is not a valid URL: 'https:example.com'", 'webhook:set', { url: 'https:example.com' }],
	[
		"'URL' is not a valid URL: 'https://example.com/a\nb'",
		'webhook:set',
		{ url: 'https://example.com/a\nb' },
	],
	["'Color' is not a hex color: 'red'", 'tag:create', { name: 'VIP', additionalFields: { color: 'red' } }],
	[
		"'Color' is not a hex color: '#1234567'",
		'tag:create',
		{ name: 'VIP', additionalFields: { color: '#1234567' } },
	],
])('%s', async (message, operation, parameters) => {
	const { error } = await engine.run({ operation, items: [{}], parameters });
	expect(error?.message).toContain(message);
	expect(await engine.requests()).toEqual([]);
});

test('a value of a megabyte is quoted only in part', async () => {
	const { error } = await run('media:send', `data:image/png;base64,${'A'.repeat(1_000_000)}`, {
		to,
		mediaSource: 'url',
		mediaUrl: VALUE,
	});
	expect(error?.message).toMatch(/^'Media URL' is not a valid URL: 'data:image\/png;base64,A{50,60}…'$/);
});

test('a search for contacts takes a number as people write it', async () => {
	await run('contact:getAll', '0 (555) 111-22-33', { filters: { search: VALUE } });
	for (const search of ['007', '1.5', '(532)', ' \u202a+90 555 111 22 33\u202c\n', ' Ada Lovelace\n'])
		await run('contact:getAll', search, { filters: { search: VALUE } });
	expect((await engine.requests()).map(({ query }) => query.search)).toEqual([
		'5551112233',
		'007',
		'1.5',
		'532',
		'905551112233',
		'Ada Lovelace',
	]);
});

test.each([
	['template:send', { to, templateId: { __rl: true, mode: 'name', value: 'order' } }],
	['broadcast:create', { name: 'Sale', recipients: person(1), message: 'Hello' }],
])('%s is not made without the variables that an expression was to give', async (operation, parameters) => {
	const { error } = await engine.run({
		operation,
		items: [{}],
		parameters: { ...parameters, additionalFields: { variables: '={{ $json.misspelled }}' } },
	});
	expect(error?.message).toBe("'Variables (JSON)' has an expression that gives nothing");
	expect(await engine.requests()).toEqual([]);
});

test('the texts of Variables (JSON) are checked by that name', async () => {
	const { error } = await engine.run({
		operation: 'template:send',
		items: [{}],
		parameters: {
			to,
			templateId: { __rl: true, mode: 'name', value: 'order' },
			additionalFields: { variables: '{"name": ""}' },
		},
	});
	expect(error?.message).toBe("'Variables (JSON)' has no value for the placeholder 'name'");
});

test('a broadcast of all items with an ID for each item says that it has one', async () => {
	const { error } = await engine.run({
		operation: 'broadcast:create',
		items: [
			{ to: person(1), id: 'a' },
			{ to: person(2), id: 'b' },
		],
		parameters: { name: 'May', message: 'Hello', recipientsFrom: 'allItems', recipients: '={{ $json.to }}' },
		options: { requestId: '={{ $json.id }}' },
	});
	expect(error?.message).toBe("'Request ID' differs from the previous items: 'b'");
	expect(error?.description).toMatch(/which has one ID/);
	expect(await engine.requests()).toEqual([]);
});

test.each([
	["'To' is not a valid phone number: 'getaddrinfo ENOTFOUND'", { value: 'getaddrinfo ENOTFOUND' }],
	["'To' is not a valid phone number: 'preexisting'", { value: 'preexisting' }],
])('n8n does not replace a message with the words of a system error: %s', async (message, { value }) => {
	const { error } = await run('message:send', value, { to: { ...to, value: VALUE }, message: 'Hello' });
	expect(error?.message).toBe(message);
});

test.each<[number, string, string, string]>([
	[
		403,
		'account:get',
		'The service refused the request (HTTP 403)',
		"Check the 'Base URL' in the credential",
	],
	[504, 'account:get', 'The service did not finish the request in time', 'Wait a moment, then run again.'],
	[504, 'webhook:delete', 'The service did not finish the request in time', 'Wait a moment, then run again.'],
	[504, 'tag:create', 'The service did not finish the request in time', 'Check the result before'],
])('what a proxy that responds %i to %s may mean is said', async (status, operation, message, advice) => {
	await engine.service.control.addFault({ kind: 'html', status, times: 'always' });
	const { error } = await engine.run({
		operation,
		items: [{}],
		parameters: { name: 'VIP' },
	});
	expect(error?.message).toBe(message);
	expect(error?.description).toContain(advice);
});

test('the code of a refusal is shown as the service wrote it', async () => {
	await engine.service.control.addFault({
		kind: 'status',
		status: 400,
		operationId: 'message.send',
		error: 'preexisting_request',
	});
	const { error } = await engine.run({ items: [{ to: person(1), message: 'Hello' }] });
	expect(error?.message).toContain("'preexisting_request'");
});

test('Context Window Length is a whole number', async () => {
	const memory = engine.memory([{ chat: { id: `${person(1)}@c.us` } }], { contextWindowLength: 2.5 });
	await expect(memory).rejects.toThrow("'Context Window Length' is not a whole number: 2.5");
	expect(await engine.requests()).toEqual([]);
});

describe('a list that a model writes as JSON', () => {
	test.each<[string, string, IDataObject, object]>([
		['Tags', 'contact:update', { phone: to, updateFields: { tags: VALUE } }, { tags: ['VIP, gold', 'new'] }],
		[
			'Variable Names',
			'template:create',
			{ name: 'order', content: 'Hello', additionalFields: { variables: VALUE } },
			{ variables: ['VIP, gold', 'new'] },
		],
	])('is read as a list: %s', async (_, operation, parameters, body) => {
		await engine.service.control.seed({ contacts: [{ phone: person(1) }] });
		const { error } = await run(operation, ' ["VIP, gold", "new"]\n', parameters);
		expect(error).toBeUndefined();
		expect((await engine.requests()).map((request) => request.body)).toMatchObject([body]);
	});

	test('can hold the recipients of a broadcast', async () => {
		const { error } = await run('broadcast:create', `["+${person(1)}", ${person(2)}]`, {
			name: 'Sale',
			recipients: VALUE,
			message: 'Hello',
		});
		expect(error).toBeUndefined();
		expect((await engine.requests()).map(({ body }) => body)).toMatchObject([
			{ recipients: [person(1), person(2)] },
		]);
	});

	test.each([`['VIP', 'new']`, '["VIP", "new"', '[ "VIP", new ]'])(
		'is refused when it is not valid: %s',
		async (list) => {
			await engine.service.control.seed({ contacts: [{ phone: person(1), tags: ['unsubscribed'] }] });
			const { error } = await run('contact:update', list, { phone: to, updateFields: { tags: VALUE } });
			expect(error?.message).toBe(`'Tags' is a list, but not valid JSON: '${list}'`);
			expect(error?.description).toContain('["VIP", "new"]');
			expect(await engine.requests()).toEqual([]);
		},
	);

	test('is an ordinary text when it is no JSON', async () => {
		await engine.service.control.seed({ contacts: [{ phone: person(1) }] });
		await run('contact:update', '[VIP], [new]', { phone: to, updateFields: { tags: VALUE } });
		expect((await engine.requests()).map(({ body }) => body)).toMatchObject([{ tags: ['[VIP]', '[new]'] }]);
	});
});
