import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CONTINUES, person, toEach, useEngine } from '../../support/engine/engine';

const engine = useEngine();

const [ADA, BEN] = [person(1), person(2)] as const;
const GROUP = '120363025246125486@g.us';
const TEAM = `+90 (555) 110-00-01, ${GROUP}`;

/** A credential that allows only these. */
const allowing = (allowedRecipients: string) => ({ ...engine.account, allowedRecipients });

const phone = (value: string) => ({ __rl: true, mode: 'phone', value });

const SENDS: Array<[operation: string, parameters: INodeParameters]> = [
	['message:send', { message: 'Hello' }],
	['message:sendAndWait', { message: 'May we?' }],
	['media:send', { mediaSource: 'url', mediaUrl: 'https://files.example.com/a.png' }],
	['media:sendVoice', { mediaSource: 'url', mediaUrl: 'https://files.example.com/a.ogg' }],
	['template:send', { templateId: { __rl: true, mode: 'id', value: 'template-1' } }],
	['scheduledMessage:create', { message: 'Hello', scheduledAt: '2035-06-01T09:00:00' }],
];

/** The requests that sent something, or changed it. */
const changes = async () => (await engine.requests()).filter(({ method }) => method !== 'GET');

describe.each(SENDS)('%s', (operation, parameters) => {
	const runFor = async (to: string, options: INodeParameters, list?: string) =>
		await engine.run({
			operation,
			items: [{}],
			parameters: { to: phone(to), ...parameters },
			options,
			node: CONTINUES,
			...(list === undefined ? {} : { credential: allowing(list) }),
		});

	test.each<[where: string, options: INodeParameters, list: string | undefined]>([
		['the node', { allowedRecipients: TEAM }, undefined],
		['the credential', {}, TEAM],
		['the node alone, of both', { allowedRecipients: TEAM }, `${TEAM}, ${BEN}`],
		['the credential alone, of both', { allowedRecipients: `${TEAM}, ${BEN}` }, TEAM],
	])('is refused for whom %s does not allow', async (_, options, list) => {
		const { output } = await runFor(BEN, options, list);

		expect(output).toEqual([
			{
				json: {
					error: `'To' is not among the allowed recipients: '${BEN}'`,
					code: 'recipient_not_allowed',
					httpStatus: null,
					description: expect.stringMatching(/^Nothing was sent\. Check the recipient\./),
					to: BEN,
					outcome: 'not_sent',
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(JSON.stringify(output)).not.toContain(ADA);
		expect(await engine.requests()).toEqual([]);
	});
});

test.each([ADA, '+90 555 110 00 01', `${ADA}@c.us`, GROUP])('%s is allowed in this notation', async (to) => {
	const options = { allowedRecipients: [TEAM.split(', ')[0] as string, GROUP] };
	const items = [{ to, message: 'Hello' }];
	const { error } = await engine.run({ items, options, credential: allowing(TEAM) });

	expect(error).toBeUndefined();
	expect(await engine.accepted()).toEqual(['Hello']);
});

test('each item has a list of its own', async () => {
	const items = [
		{ to: ADA, message: 'Hello', chat: { id: `${ADA}@c.us` } },
		{ to: BEN, message: 'Hello', chat: { id: `${ADA}@c.us` } },
	];
	const options = { allowedRecipients: '={{ $json.chat.id }}' };
	const { output } = await engine.run({ items, options, node: CONTINUES });

	expect(output.map(({ json }) => json.outcome)).toEqual(['queued', 'not_sent']);
	expect(await changes()).toHaveLength(1);
});

test.each<[value: unknown, expression?: string]>([
	[undefined],
	[null],
	[''],
	[' , '],
	[[]],
	['[]'],
	['', '={{ $json.misspelled.id }}'],
	['', ''],
])('a list that gives %j allows nobody', async (value, expression = '={{ $json.value }}') => {
	const items = [{ to: ADA, message: 'Hello', value } as IDataObject];
	const { error } = await engine.run({ items, options: { allowedRecipients: expression } });

	expect(error?.message).toBe(`'To' is not among the allowed recipients: '${ADA}'`);
	expect(error?.description).toContain("the list of allowed recipients under 'Options' is empty");
	expect(await engine.requests()).toEqual([]);
});

test.each<[words: string, list: string, suffix?: string]>([
	[
		"'Recipients: Allowed' has an entry that is neither a phone number with its country code nor a chat ID: number 2",
		`${ADA}, 0555 123 45 67`,
	],
	[
		"'Recipients: Allowed' can be filled in by the model, which would allow itself everybody",
		"={{ $fromai('list') }}",
	],
	[
		"'Recipients: Allowed' can be filled in by the model, which would allow itself everybody",
		`=${ADA}, {{ $fromAI('more', '', 'string') }}`,
	],
	// n8n puts what the model writes into a call of a tool into its item, and To into its parameters.
	[
		"'Recipients: Allowed' can be filled in by the model, which would allow itself everybody",
		'={{ $json.chat.id }}',
		'Tool',
	],
	[
		"'Recipients: Allowed' can be filled in by the model, which would allow itself everybody",
		'={{ $parameter.to.value }}',
		'Tool',
	],
	[
		"'Recipients: Allowed' can be filled in by the model, which would allow itself everybody",
		'={{ $thisItem.json.chat.id }}',
		'Tool',
	],
	[
		"'Recipients: Allowed' can be filled in by the model, which would allow itself everybody",
		'={{ $node["Send"].parameter.to.value }}',
		'Tool',
	],
])('%s', async (message, list, suffix = '') => {
	const type = `n8n-nodes-messaging-channel.messagingChannel${suffix}`;
	const options = { allowedRecipients: list };
	const { error } = await engine.run({ items: toEach(1), options, node: { type } });

	expect(error?.message).toContain(message);
	expect(await engine.requests()).toEqual([]);
});

test('a list that is no valid JSON is not shown', async () => {
	const options = { allowedRecipients: `['${ADA}']` };
	const { error } = await engine.run({ items: [{ to: BEN, message: 'Hello' }], options });

	expect(JSON.stringify([error?.message, error?.description])).not.toContain(ADA);
	expect(await engine.requests()).toEqual([]);
});

describe('a broadcast', () => {
	const create = async (recipientsFrom: string, list: string) =>
		await engine.run({
			operation: 'broadcast:create',
			items: [{ list: ADA }, { list: BEN }, { list: person(3) }],
			parameters: {
				name: 'Sale',
				recipientsFrom,
				recipients: '={{ $json.list }}',
				message: 'Hello',
			},
			options: { allowedRecipients: list },
			node: CONTINUES,
		});

	test('with one recipient who is not allowed is refused whole', async () => {
		const { output } = await create('allItems', `${ADA}, ${person(3)}`);

		const error = `'Recipients' has somebody who is not among the allowed recipients: '${BEN}'`;
		expect(output.map(({ json, pairedItem }) => [json.error, json.code, pairedItem])).toEqual(
			[0, 1, 2].map((item) => [error, 'recipient_not_allowed', { item }]),
		);
		expect(await engine.requests()).toEqual([]);
	});

	test('is created when all are allowed', async () => {
		await create('allItems', `${ADA}, ${BEN}, ${person(3)}`);

		expect((await changes()).map(({ body }) => (body as IDataObject).recipients)).toEqual([
			[ADA, BEN, person(3)],
		]);
	});

	test('of its own is refused for each item', async () => {
		const { output } = await create('thisItem', `${ADA}, ${person(3)}`);

		expect(output.map(({ json }) => json.outcome)).toEqual(['queued', 'not_sent', 'queued']);
	});
});

test.each<[words: string, operation: string, parameters: INodeParameters]>([
	[
		"'Endpoint Path' cannot be used with a list of allowed recipients, because it can name others",
		'autoReply:create',
		{
			...{ name: 'a', triggerType: 'keyword', triggerValue: 'b', reply: 'c' },
			options: { endpointPath: '/messages/send', bodyFields: { to: BEN, message: 'Hello' } },
		},
	],
	[
		"'Body Fields' cannot be used with a list of allowed recipients, because it can name others",
		'scheduledMessage:create',
		{
			...{ to: phone(ADA), message: 'Hello', scheduledAt: '2035-06-01T09:00:00' },
			options: { bodyFields: { phones: [BEN] } },
		},
	],
	[
		"'To' is missing, so it is not known whether the recipient is allowed",
		'scheduledMessage:update',
		{ scheduledMessageId: 'scheduled-1', updateFields: { message: 'Later' } },
	],
	[
		`'To' is not among the allowed recipients: '${BEN}'`,
		'scheduledMessage:update',
		{ scheduledMessageId: 'scheduled-1', updateFields: { to: phone(BEN) } },
	],
])('nobody gets around the list of the credential: %s', async (words, operation, parameters) => {
	const { options = {}, ...rest } = parameters as Record<string, INodeParameters>;
	const { output } = await engine.run({
		operation,
		items: [{}],
		parameters: rest,
		options,
		node: CONTINUES,
		credential: allowing(ADA),
	});

	expect(output.map(({ json }) => [json.error, json.code])).toEqual([[words, 'recipient_not_allowed']]);
	expect(await engine.requests()).toEqual([]);
});

test('what sends nothing may be corrected all the same', async () => {
	const { error } = await engine.run({
		operation: 'broadcast:getAll',
		items: [{}],
		options: { endpointPath: '/messages/broadcast' },
		credential: allowing(ADA),
	});

	expect(error).toBeUndefined();
	expect(await engine.requests()).toHaveLength(1);
});
