import type { IDataObject } from 'n8n-workflow';

import { person, useEngine } from '../support/engine/engine';

const engine = useEngine();

const to = { __rl: true, mode: 'phone', value: person(1) };
const chatId = { __rl: true, mode: 'id', value: `${person(1)}@c.us` };
const message = 'Hello';
const text = { to, message };
const broadcast = { name: 'Sale', recipients: person(1), message };

/** Runs one item, whose expressions read `value`. */
const run = async (operation: string, value: unknown, { options = {}, ...parameters }: IDataObject) =>
	await engine.run({ operation, items: [{ value } as IDataObject], parameters, options } as never);

const VALUE = '={{ $json.value }}';
const NOTHING = '={{ $json.misspelled }}';
const ROUNDED = JSON.parse('120363012345678901') as number;

const GIVES_NOTHING = 'has an expression that gives nothing';

/** Rows whose field has an expression that gives nothing. */
const givingNothing = (rows: Array<[field: string, operation: string, parameters: IDataObject]>) =>
	rows.map(([field, operation, parameters]): [string, string, unknown, IDataObject] => [
		`${field} ${GIVES_NOTHING}`,
		operation,
		'',
		parameters,
	]);
const LOST_DIGITS = 'is a number whose last digits are lost: 120363012345678900';
const NO_COUNTRY = "has no country code, or the wrong number of digits: '90555123456'";

describe('is refused before anything is sent', () => {
	test.each<[error: string, operation: string, value: unknown, parameters: IDataObject]>([
		// A choice for which an expression gives nothing.
		["'Media Source' is empty", 'media:send', '', { to, mediaSource: VALUE }],

		// What would be left out, and changes what is done.
		[
			`'Default Country Code' ${GIVES_NOTHING}`,
			'message:send',
			'',
			{ to: { ...to, value: '535 123 45 67' }, message, options: { defaultCountryCode: NOTHING } },
		],
		[
			`'Pause When Queue Above' ${GIVES_NOTHING}`,
			'message:send',
			'',
			{ ...text, options: { pauseWhenQueueAbove: NOTHING } },
		],
		// Without its tags, a list would have everybody, and a message would reach them.
		...[[' '], [], ''].flatMap((value): Array<[string, string, unknown, IDataObject]> => [
			["'Tags' is empty", 'contact:getAll', value, { filters: { tags: VALUE } }],
			["'Recipients: Skip Tags' is empty", 'message:send', value, { ...text, options: { skipTags: VALUE } }],
		]),
		[`'On Channel' ${GIVES_NOTHING}`, 'contact:getAll', '', { filters: { isChannelUser: NOTHING } }],
		[`'Status' ${GIVES_NOTHING}`, 'scheduledMessage:getAll', '', { filters: { status: NOTHING } }],
		[`'Search' ${GIVES_NOTHING}`, 'template:getAll', '', { filters: { search: NOTHING } }],
		[`'Before' ${GIVES_NOTHING}`, 'chat:getMessages', '', { chatId, filters: { before: NOTHING } }],
		// n8n's editor makes an expression of the service's placeholders as soon as a space follows their braces.
		[`'Content' ${GIVES_NOTHING}`, 'template:create', '', { name: 'order', content: '=Hello {{ name }}!' }],
		...['={{ name }}', '={{ name }}, {{ day }}'].map((variables): [string, string, unknown, IDataObject] => [
			`'Variable Names' ${GIVES_NOTHING}`,
			'template:create',
			'',
			{ name: 'order', content: 'Hello', additionalFields: { variables } },
		]),
		[
			`'Active' ${GIVES_NOTHING}`,
			'autoReply:create',
			'',
			{
				name: 'Hours',
				triggerType: 'keyword',
				triggerValue: 'open',
				reply: 'Closed',
				additionalFields: { isActive: NOTHING },
			},
		],

		// Of which a part gives nothing, so that the rest means something else: another person, midnight, a folder.
		...[NOTHING, VALUE].flatMap((part) => {
			const missing = part.slice(1);
			const number = `=+${missing}5321234567`;
			const later = { limitType: 'atSpecifiedTime', maxDateAndTime: `=2035-12-01 ${missing}` };
			return givingNothing([
				["'To'", 'message:send', { to: { ...to, value: number }, message }],
				["'Recipients'", 'broadcast:create', { ...broadcast, recipients: `${number}, ${person(1)}` }],
				["'Phone Numbers'", 'contact:sync', { phones: number }],
				["'Recipients: Allowed'", 'message:send', { ...text, options: { allowedRecipients: number } }],
				[
					"'To'",
					'scheduledMessage:update',
					{ scheduledMessageId: 'scheduled-1', updateFields: { to: { ...to, value: number } } },
				],
				["'Scheduled At'", 'scheduledMessage:create', { ...text, scheduledAt: `=2035-12-01 ${missing}` }],
				[
					"'Max Date and Time'",
					'message:sendAndWait',
					{ ...text, options: { limitWaitTime: { values: later } } },
				],
				[
					"'Media URL'",
					'media:send',
					{ to, mediaSource: 'url', mediaUrl: `=https://example.com/${missing}` },
				],
			]);
		}),

		// Of which a part gives nothing, so that the rest reaches more or something else.
		...givingNothing([
			["'Search'", 'contact:getAll', { filters: { search: `=Ada ${NOTHING.slice(1)}` } }],
			["'Tags'", 'contact:getAll', { filters: { tags: `=VIP, ${NOTHING.slice(1)}` } }],
			["'URL'", 'webhook:set', { url: `=https://example.com/${NOTHING.slice(1)}` }],
			[
				"'Trigger Value'",
				'autoReply:update',
				{ autoReplyId: '1', updateFields: { triggerValue: `=^${NOTHING.slice(1)}` } },
			],
			["'Name'", 'contact:update', { phone: to, updateFields: { name: `${NOTHING} ${NOTHING.slice(1)}` } }],
			[
				"'Tags'",
				'contact:update',
				{ phone: to, updateFields: { tags: '={{ $json.misspelled.join() }}, new' } },
			],
			[
				"'Custom Fields'",
				'contact:update',
				{ phone: to, updateFields: { customFields: `={"plan": "${NOTHING.slice(1)}"}` } },
			],
			[
				"'Body Fields'",
				'scheduledMessage:create',
				{ ...text, scheduledAt: '2035-12-01', options: { bodyFields: `={"text": "${NOTHING.slice(1)}"}` } },
			],
		]),

		// Which is not what anybody means to send.
		...(
			[
				['[object Object]', 'message:send', { to, message: '=Dear {{ $json.value }}' }],
				[
					'Invalid DateTime',
					'message:send',
					{ to, message: '={{ DateTime.fromISO("soon").toFormat("d MMMM") }}' },
				],
				[
					'[object Object]',
					'template:send',
					{
						to,
						templateId: { __rl: true, mode: 'name', value: 'order' },
						templateVariables: { mappingMode: 'defineBelow', value: { name: '=Dear {{ $json.value }}' } },
					},
				],
				['[object Object]', 'message:send', { ...text, options: { requestId: '={{ $json.value }}-may' } }],
				[
					'[object Object]',
					'message:sendAndWait',
					{
						...text,
						responseType: 'customForm',
						formFields: {
							values: [
								{
									fieldLabel: 'Day',
									fieldType: 'radio',
									fieldOptions: { values: [{ option: 'Never' }, { option: '=On {{ $json.value }}' }] },
								},
							],
						},
					},
				],
			] satisfies Array<[string, string, IDataObject]>
		).map(([garbled, operation, parameters]): [string, string, unknown, IDataObject] => [
			`would contain '${garbled}'`,
			operation,
			{ name: 'Ada' },
			parameters,
		]),

		// What is not what was written.
		[`'Request ID' ${LOST_DIGITS}`, 'message:send', ROUNDED, { ...text, options: { requestId: VALUE } }],
		[
			"'Message' is the result of a calculation that gives no number",
			'message:send',
			NaN,
			{ to, message: VALUE },
		],
		[
			"'Message' has an expression that fails: Referenced node doesn't exist",
			'message:send',
			'',
			{ to, message: "={{ $('Nowhere').item.json.text }}" },
		],
		[
			"'Custom Fields' has a number whose last digits are lost in the field 'id'",
			'contact:update',
			'{ "crm": [{ "id": 120363012345678901 }] }',
			{ phone: to, updateFields: { customFields: VALUE } },
		],

		// The stored fields would be replaced by the rest.
		[
			`'Custom Fields' ${GIVES_NOTHING} in the field 'plan'`,
			'contact:update',
			'',
			{ phone: to, updateFields: { customFields: '={{ ({ vip: true, plan: $json.misspelled }) }}' } },
		],
		[
			`'Body Fields' ${GIVES_NOTHING} in the field 'send_at'`,
			'scheduledMessage:create',
			'',
			{
				...text,
				scheduledAt: '2035-12-01',
				options: { bodyFields: '={{ ({ send_at: $json.misspelled }) }}' },
			},
		],

		[
			"'Color' is not a hex color: '12345'",
			'tag:create',
			12345,
			{ name: 'VIP', additionalFields: { color: VALUE } },
		],

		// The code of a country that a sheet has dropped.
		[`'Contact' ${NO_COUNTRY}`, 'contact:check', 90555123456, { phone: { ...to, value: VALUE } }],
		[`'Phone Numbers' ${NO_COUNTRY}`, 'contact:sync', '90555123456', { phones: VALUE }],

		// n8n would replace this with its own words for a system error.
		[
			"'To' is not a valid phone number: 'getaddrinfo ENOTFOUND'",
			'message:send',
			'getaddrinfo ENOTFOUND',
			{ to: { ...to, value: VALUE }, message },
		],
	])('%s, in %s', async (expected, operation, value, parameters) => {
		const { error } = await run(operation, value, parameters);

		expect(error?.message).toContain(expected);
		expect(error?.description).toMatch(/^[A-Z].*\.$/);
		expect(await engine.requests()).toEqual([]);
	});

	test('a broadcast of all items with an ID for each item, as it has one', async () => {
		const { error } = await engine.run({
			operation: 'broadcast:create',
			items: [
				{ to: person(1), id: 'a' },
				{ to: person(2), id: 'b' },
			],
			parameters: { name: 'May', message, recipientsFrom: 'allItems', recipients: '={{ $json.to }}' },
			options: { requestId: '={{ $json.id }}' },
		});
		expect(error?.message).toBe("'Request ID' differs from the previous items: 'b'");
		expect(error?.description).toMatch(/which has one ID/);
		expect(await engine.requests()).toEqual([]);
	});
});
