// cspell:ignore forbiddenword
import { caseWith, dateTime, get, operationsOf, post, queued, wrong, type ExpectedItem } from './case';
import { byPhone, fromList } from './parameters';

const sent = (to: string, message = 'Hello') => post('/messages/send', { to, message });

const answer = queued('905551234567@c.us');

const answered = (from: number, to = '905551234567@c.us'): ExpectedItem => ({ json: queued(to), from });

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
			wrong('to.value', 'Ada', 'To', "'Ada'"),
			wrong('to.value', '', 'To'),
			{ ...wrong('options.defaultCountryCode', 'TR', 'Default Country Code', "'TR'"), good: '90' },
			wrong('message', '', 'Message'),
			wrong('options.priority', 0, 'Priority', '0'),
			wrong('options.format', 'html', 'Format', "'html'"),
			wrong('options.splitLongText', 9, 'Split Long Text (Characters)', 'is too small to split a text: 9'),
			wrong(
				'message',
				'A word. '.repeat(101),
				'Split Long Text (Characters)',
				'into more than 100 messages',
				{ options: { splitLongText: 10 } },
			),
			wrong('options.sync', 'maybe', 'Wait Until Sent', 'maybe'),
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
		bad: [wrong('message', '', 'Message')],
	},
});
