import { get, post, put, remove, dateTime, type ExpectedItem, type OperationCases } from './case';
import { byPhone } from './parameters';

const ada = { phone: '905551234567', name: 'Ada', tags: ['VIP', 'New'], is_channel_user: true };
const grace = { phone: '905551234568', name: 'Grace', tags: [], is_channel_user: true };

const contacts = [ada, grace];

/** A contact with everything that the list leaves out. */
const whole = (contact: typeof ada) => ({
	...contact,
	notes: '',
	custom_fields: {},
	is_blocked: false,
	last_message_at: null,
	created_at: dateTime,
});

const many = Array.from({ length: 120 }, (_, index) => ({
	phone: `9055500${String(index).padStart(5, '0')}`,
	name: `Contact ${String(index).padStart(3, '0')}`,
	tags: [],
	is_channel_user: true,
}));

const page = (number: number, limit = 50) =>
	get('/contacts', { page: String(number), limit: String(limit), sort_by: 'phone', sort_order: 'asc' });

const records = (count: number): ExpectedItem[] => many.slice(0, count).map((json) => ({ json }));

const byPhoneOrder = { sortBy: 'phone', sortOrder: 'asc' };

const synced = (body: { phones: string[]; update_existing?: boolean }) => post('/contacts/sync', body);

const three = ['905551234567', '905551234568', '905551234569'];

const counts = (total: number, updated: number, skipped = 0) => ({
	json: { total, created: total - updated - skipped, updated, skipped },
});

const badPhone = [
	{ at: 'phone.value', value: 'Ada', label: 'Contact', says: "'Ada'" },
	{ at: 'phone.value', value: '', label: 'Contact' },
	{ at: 'phone.value', value: '../account', label: 'Contact', says: "'../account'" },
] as const;

export const contact: readonly OperationCases[] = [
	{
		resource: 'contact',
		operation: 'check',
		minimal: {
			parameters: { phone: byPhone('+90 555 123 45 67') },
			requests: [get('/contacts/905551234567/check')],
			items: [{ json: { phone: '905551234567', is_channel_user: true } }],
		},
		more: {
			'says of a number that it is not on the channel': {
				parameters: { phone: byPhone('905551230000') },
				requests: [get('/contacts/905551230000/check')],
				items: [{ json: { phone: '905551230000', is_channel_user: false } }],
			},
		},
		bad: badPhone,
	},
	{
		resource: 'contact',
		operation: 'delete',
		seed: { contacts },
		minimal: {
			parameters: { phone: byPhone('+90 555 123 45 67') },
			requests: [remove('/contacts/905551234567')],
			items: [{ json: { deleted: true } }],
		},
		bad: badPhone,
		again: '905551234568',
	},
	{
		resource: 'contact',
		operation: 'get',
		seed: { contacts },
		minimal: {
			parameters: { phone: byPhone('+90 555 123 45 67') },
			requests: [get('/contacts/905551234567')],
			items: [{ json: whole(ada) }],
		},
		more: {},
		bad: badPhone,
	},
	{
		resource: 'contact',
		operation: 'getAll',
		seed: { contacts },
		minimal: {
			parameters: {},
			requests: [get('/contacts', { page: '1', limit: '50' })],
			items: [{ json: ada }, { json: grace }],
		},
		full: {
			parameters: {
				returnAll: false,
				limit: 10,
				filters: { isChannelUser: true, search: 'ad', tags: ['VIP', 'New'] },
				options: { sortBy: 'name', sortOrder: 'asc' },
			},
			requests: [
				get('/contacts', {
					page: '1',
					limit: '10',
					is_channel_user: 'true',
					search: 'ad',
					tags: 'VIP,New',
					sort_by: 'name',
					sort_order: 'asc',
				}),
			],
			items: [{ json: ada }],
		},
		more: {
			'does not send filters that were added and left empty': {
				parameters: { filters: { search: '' } },
				requests: [get('/contacts', { page: '1', limit: '50' })],
				items: [{ json: ada }, { json: grace }],
			},
		},
		bad: [
			{ at: 'limit', value: 0, good: 50, label: 'Limit', says: '0' },
			{
				at: 'options.sortOrder',
				value: 'up',
				label: 'Sort Order',
				says: 'up',
				with: { options: {} },
			},
		],
	},
	{
		resource: 'contact',
		operation: 'sync',
		seed: { contacts: [ada] },
		minimal: {
			parameters: { phones: '+90 555 123 45 67' },
			requests: [synced({ phones: ['905551234567'] })],
			items: [counts(1, 1)],
		},
		full: {
			parameters: {
				phones: '+90 555 123 45 67, +90 555 123 45 68',
				additionalFields: { updateExisting: false },
			},
			requests: [synced({ phones: ['905551234567', '905551234568'], update_existing: false })],
			items: [counts(2, 0, 1)],
		},
		more: {
			'takes a list of numbers from an expression': {
				parameters: { phones: '={{ $json.phones }}' },
				input: [{ json: { phones: ['+90 555 123 45 67', 905551234568, '905551234569'] } }],
				requests: [synced({ phones: three })],
				items: [counts(3, 1)],
			},
		},
		bad: [
			{ at: 'phones', value: '905551234567, Ada', label: 'Phone Numbers', says: "'Ada'" },
			{ at: 'phones', value: '', label: 'Phone Numbers' },
		],
	},
	{
		resource: 'contact',
		operation: 'update',
		seed: { contacts },
		minimal: {
			parameters: { phone: byPhone('905551234567'), updateFields: { name: 'Ada Lovelace' } },
			requests: [put('/contacts/905551234567', { name: 'Ada Lovelace' })],
			items: [{ json: { ...whole(ada), name: 'Ada Lovelace' } }],
		},
		full: {
			parameters: {
				phone: byPhone('905551234567'),
				updateFields: {
					name: 'Ada Lovelace',
					tags: ['VIP'],
					notes: 'Writes programs',
					customFields: '{ "city": "London", "visits": 3 }',
					isBlocked: false,
				},
			},
			requests: [
				put('/contacts/905551234567', {
					name: 'Ada Lovelace',
					tags: ['VIP'],
					notes: 'Writes programs',
					custom_fields: { city: 'London', visits: 3 },
					is_blocked: false,
				}),
			],
			items: [
				{
					json: {
						...whole(ada),
						name: 'Ada Lovelace',
						tags: ['VIP'],
						notes: 'Writes programs',
						custom_fields: { city: 'London', visits: 3 },
					},
				},
			],
		},
		more: {
			'clears the fields that were added and left empty': {
				parameters: { phone: byPhone('905551234567'), updateFields: { name: '', notes: '', tags: [] } },
				requests: [put('/contacts/905551234567', { name: '', notes: '', tags: [] })],
				items: [{ json: { ...whole(ada), name: '', tags: [] } }],
			},
		},
		bad: [
			...badPhone,
			{ at: 'updateFields', value: {}, label: 'Update Fields' },
			{ at: 'updateFields.customFields', value: '{ city', label: 'Custom Fields' },
			{ at: 'updateFields.isBlocked', value: 'perhaps', label: 'Blocked', says: 'perhaps' },
		],
	},
];

/** Lists over several pages; they need more contacts than the other cases. */
export const contactPages: OperationCases = {
	resource: 'contact',
	operation: 'getAll',
	seed: { contacts: many },
	minimal: {
		parameters: { returnAll: true, options: byPhoneOrder },
		requests: [page(1), page(2), page(3)],
		items: records(120),
	},
	more: {
		'asks for no more pages than the limit needs': {
			parameters: { returnAll: false, limit: 60, options: byPhoneOrder },
			requests: [page(1), page(2)],
			items: records(60),
		},
		'asks for no larger page than the limit': {
			parameters: { returnAll: false, limit: 7, options: byPhoneOrder },
			requests: [page(1, 7)],
			items: records(7),
		},
		'splits a limit above the largest page into pages': {
			parameters: { returnAll: false, limit: 110, options: byPhoneOrder },
			requests: [page(1), page(2), page(3)],
			items: records(110),
		},
	},
	bad: [],
};
