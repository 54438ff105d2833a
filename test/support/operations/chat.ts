import pick from 'lodash/pick';

import { badLimit, caseWith, get, operationsOf, wrong } from './case';
import { rawMessage } from '../service/core/rawMessage';
import { byId, byPhone, fromList } from './parameters';

const ada = {
	id: '905551234567@c.us',
	name: 'Ada',
	type: 'individual',
	is_muted: false,
	is_archived: false,
	last_message_at: '2025-06-15T15:06:40.000Z',
} as const;

const club = {
	id: '120363041234567890@g.us',
	name: 'Chess club',
	type: 'group',
	is_muted: true,
	is_archived: false,
	last_message_at: '2025-06-14T10:00:00.000Z',
} as const;

const received = (order: number, timestamp: number, body: string) => ({
	id: `false_905551234567@c.us_${String(order).padStart(12, '0')}`,
	from: '905551234567@c.us',
	to: '905300000000@c.us',
	body,
	type: 'chat',
	raw_type: 'chat',
	timestamp,
	from_me: false,
	has_media: false,
	media: null,
});

/** What is not asked for when the messages are simplified. */
const SIMPLIFIED = { include_raw: 'false', include_presigned_url: 'false' } as const;

const simplified = (message: ReturnType<typeof received>) =>
	pick(message, 'id', 'from', 'from_me', 'timestamp', 'type', 'body', 'has_media');

const first = received(1, 1_750_000_000, 'first');
const second = received(2, 1_750_000_001, 'second');
const third = received(3, 1_750_000_002, 'third');
const latestFirst = [third, second, first];

const messages = [first, second, third].map(({ body, timestamp }) => ({
	chatId: '905551234567@c.us',
	body,
	timestamp,
}));

const photo = {
	chatId: '120363041234567890@g.us',
	body: 'Look',
	timestamp: 1_750_000_003,
	media: { mimetype: 'image/jpeg', filename: 'photo.jpg', base64: 'aGVsbG8gaW1hZ2U=' },
};

const look = {
	...received(4, 1_750_000_003, 'Look'),
	id: 'false_120363041234567890@g.us_000000000004',
	from: '120363041234567890@g.us',
	type: 'image',
	raw_type: 'image',
	has_media: true,
};

const linked = {
	filename: '1-photo.jpg',
	mimetype: 'image/jpeg',
	size: 11,
	presigned_url: /\/links\/1-photo\.jpg\?/,
};

const withAda = { chatId: byId('905551234567@c.us') };
const path = '/chats/905551234567%40c.us/messages';
const found = { id: '905551234567@c.us', name: 'Ada', phone: '905551234567' };

export const chat = operationsOf('chat', {
	getAll: {
		seed: { chats: [ada, club] },
		minimal: caseWith({}, get('/chats'), ada, club),
		full: caseWith({ returnAll: true }, get('/chats'), ada, club),
		more: {
			'returns no more than the limit of a list that has no pages': caseWith(
				{ returnAll: false, limit: 1 },
				get('/chats'),
				ada,
			),
		},
		bad: [badLimit],
	},
	getMessages: {
		seed: { messages: [...messages, photo] },
		minimal: caseWith(
			withAda,
			get(path, { limit: '50', ...SIMPLIFIED }),
			...latestFirst.map((message) => simplified(message)),
		),
		full: caseWith(
			{
				chatId: fromList('905551234567@c.us', 'Ada (905551234567@c.us)'),
				returnAll: false,
				limit: 1,
				filters: { before: '2025-06-15T18:06:42' },
				options: { includePresignedUrl: false },
			},
			get(path, { limit: '1', before: '2025-06-15T15:06:42.000Z', ...SIMPLIFIED }),
			simplified(second),
		),
		more: {
			'returns everything without simplification': caseWith(
				{ ...withAda, simplify: false, options: { includeRaw: true } },
				get(path, { limit: '50', include_raw: 'true' }),
				...latestFirst.map((message) => ({ ...message, raw: rawMessage(message) })),
			),
			'simplifies, with a download link only when that is wanted': {
				parameters: {
					chatId: byId('120363041234567890@g.us'),
					options: { includeRaw: true, includePresignedUrl: '={{ $json.link }}' },
				},
				input: [{ json: { link: true } }, { json: { link: false } }],
				requests: ['true', 'false'].map((link) =>
					get('/chats/120363041234567890%40g.us/messages', {
						limit: '50',
						...SIMPLIFIED,
						include_presigned_url: link,
					}),
				),
				items: [
					{ json: { ...simplified(look), media: linked }, from: 0 },
					{ json: simplified(look), from: 1 },
				],
			},
		},
		bad: [
			wrong('chatId.value', '', 'Chat'),
			{ ...wrong('simplify', 'perhaps', 'Simplify', 'perhaps'), good: true },
			wrong('chatId.value', '..', 'Chat', "'..'"),
			wrong('filters.before', 'yesterday', 'Before', 'yesterday'),
		],
	},
	resolve: {
		seed: { chats: [ada] },
		minimal: caseWith(
			{ phone: byPhone('+90 555 123 45 67') },
			get('/chats/resolve', { phone: '905551234567' }),
			found,
		),
		full: caseWith(
			{ phone: fromList('905551234567', 'Ada (905551234567)') },
			get('/chats/resolve', { phone: '905551234567' }),
			found,
		),
		bad: [wrong('phone.value', 'Ada', 'Contact', "'Ada'"), wrong('phone.value', '', 'Contact')],
	},
});
