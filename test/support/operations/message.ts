// cspell:ignore forbiddenword
import { caseWith, dateTime, get, operationsOf, post, queued, type ExpectedItem } from './case';
import { byId, byPhone, fromList } from './parameters';

const sent = (to: string, message = 'Hello') => post('/messages/send', { to, message });

const answer = queued('905551234567@c.us');

const answered = (from = 0, to = '905551234567@c.us'): ExpectedItem => ({ json: queued(to), from });

export const message = operationsOf('message', {
	getQueue: {
		minimal: caseWith({}, get('/messages/queue'), { waiting: 0, active: 0, failed: 0, delayed: 0 }),
		bad: [],
	},
	getRateLimit: {
		minimal: caseWith({}, get('/messages/rate-limit'), {
			limit: 100_000,
			remaining: 99_999,
			window: '1m',
			reset_at: dateTime,
		}),
		bad: [],
	},
	send: {
		minimal: caseWith({ to: byPhone('+90 555 123 45 67'), message: 'Hello' }, sent('905551234567'), answer),
		full: caseWith(
			{
				to: fromList('905551234567@c.us', 'Ada (905551234567@c.us)'),
				message: 'Hello\n"Ada" \\ 👋',
				options: { priority: 1, sync: true },
			},
			post('/messages/send', {
				to: '905551234567@c.us',
				message: 'Hello\n"Ada" \\ 👋',
				priority: 1,
				sync: true,
			}),
			{
				queued: false,
				message_id: /^true_905551234567@c\.us_\d+$/,
				to: '905551234567@c.us',
				status: 'sent',
				outcome: 'sent',
			},
		),
		more: {
			'completes the numbers of a sheet with the default country code': {
				parameters: {
					to: byPhone('={{ $json.to }}'),
					message: 'Hello',
					options: { defaultCountryCode: '+90' },
				},
				input: [5551234567, '0555 123 45 67', '905551234567', '+905551234567', '905551234567@c.us'].map(
					(to) => ({ json: { to } }),
				),
				requests: [...Array.from({ length: 4 }, () => sent('905551234567')), sent('905551234567@c.us')],
				items: [0, 1, 2, 3, 4].map((index) => answered(index)),
			},
			'leaves the ID of a person’s chat alone': caseWith(
				{ to: byId('905551234567@c.us'), message: 'Hello' },
				sent('905551234567@c.us'),
				answer,
			),
			'sends to a contact chosen from the list': caseWith(
				{ to: fromList('905551234567', 'Ada (905551234567)'), message: 'Hello' },
				sent('905551234567'),
				answer,
			),
			'takes the recipient from an expression that gives the bare value': {
				parameters: { to: '={{ $json.to }}', message: 'Hello', options: { maxConcurrency: 1 } },
				input: [{ json: { to: '+90 555 123 45 67' } }, { json: { to: '120363041234567890@g.us' } }],
				requests: [sent('905551234567'), sent('120363041234567890@g.us')],
				items: [answered(0), answered(1, '120363041234567890@g.us')],
			},
			'takes each text from its own item': {
				parameters: { to: byPhone('905551234567'), message: '=Order {{ $json.order }}' },
				input: [{ json: { order: 1 } }, { json: { order: 2 } }, { json: { order: 3 } }],
				requests: [1, 2, 3].map((order) => sent('905551234567', `Order ${order}`)),
				items: [answered(0), answered(1), answered(2)],
			},
			'converts Markdown to the marks of the channel': {
				parameters: {
					to: byPhone('905551234567'),
					message: '={{ $json.text }}',
					options: { format: '={{ $json.format }}' },
				},
				input: [
					{
						json: {
							format: 'markdown',
							text: '## Your order\n\n* **2** pens, ~~12~~ *only* 10 EUR\n* [Track it](https://shop.example/o_1_2)\n\n`**1234**`',
						},
					},
					{ json: { format: 'none', text: '**2** pens' } },
				],
				requests: [
					sent(
						'905551234567',
						'*Your order*\n\n- *2* pens, ~12~ _only_ 10 EUR\n- Track it (https://shop.example/o_1_2)\n\n`**1234**`',
					),
					sent('905551234567', '**2** pens'),
				],
				items: [answered(0), answered(1)],
			},
			'sends a long text as several messages': {
				parameters: {
					to: byPhone('905551234567'),
					message: '={{ $json.text }}',
					options: { splitLongText: 12, maxConcurrency: 1 },
				},
				input: [{ json: { text: 'Hello, Ada.\n\nHow are you?' } }, { json: { text: 'Good morning' } }],
				requests: [
					sent('905551234567', 'Hello, Ada.'),
					sent('905551234567', 'How are you?'),
					sent('905551234567', 'Good morning'),
				],
				items: [
					{
						json: {
							queued: true,
							to: '905551234567@c.us',
							parts: [answer, answer],
							outcome: 'queued',
						},
						from: 0,
					},
					answered(1),
				],
			},
		},
		bad: [
			{ at: 'to.value', value: 'Ada', label: 'To', says: "'Ada'" },
			{ at: 'to.value', value: '', label: 'To' },
			{
				at: 'options.defaultCountryCode',
				value: 'TR',
				good: '90',
				label: 'Default Country Code',
				says: "'TR'",
				with: { options: {} },
			},
			{ at: 'message', value: '', label: 'Message' },
			{ at: 'options.priority', value: 0, label: 'Priority', says: '0', with: { options: {} } },
			{ at: 'options.format', value: 'html', label: 'Format', says: "'html'", with: { options: {} } },
			{
				at: 'options.splitLongText',
				value: 9,
				label: 'Split Long Text (Characters)',
				says: 'is too small to split a text: 9',
				with: { options: {} },
			},
			{
				at: 'message',
				value: 'A word. '.repeat(101),
				label: 'Split Long Text (Characters)',
				says: 'into more than 100 messages',
				with: { options: { splitLongText: 10 } },
			},
			{ at: 'options.sync', value: 'maybe', label: 'Wait Until Sent', says: 'maybe', with: { options: {} } },
		],
	},
	validate: {
		minimal: caseWith({ message: 'Hello' }, post('/messages/validate', { message: 'Hello' }), {
			valid: true,
			warnings: [],
		}),
		more: {
			'puts out the warnings': caseWith(
				{ message: 'a forbiddenword' },
				post('/messages/validate', { message: 'a forbiddenword' }),
				{ valid: false, warnings: ['The content policy does not allow this message.'] },
			),
		},
		bad: [{ at: 'message', value: '', label: 'Message' }],
	},
});
