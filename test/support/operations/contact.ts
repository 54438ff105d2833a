import {
	badLimit,
	caseWith,
	dateTime,
	get,
	operationsOf,
	post,
	put,
	remove,
	type ExpectedItem,
	type OperationCases,
	wrong,
} from './case';
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

const adaTyped = { phone: byPhone('+90 555 123 45 67') };
const path = '/contacts/905551234567';

const many = Array.from({ length: 120 }, (_, index) => ({
	phone: `9055500${String(index).padStart(5, '0')}`,
	name: `Contact ${String(index).padStart(3, '0')}`,
	tags: [],
	is_channel_user: true,
}));

const page = (number: number) =>
	get('/contacts', { page: String(number), limit: '50', sort_by: 'phone', sort_order: 'asc' });

const records = (count: number): ExpectedItem[] => many.slice(0, count).map((json) => ({ json }));

const byPhoneOrder = { sortBy: 'phone', sortOrder: 'asc' };

const synced = (body: { phones: string[]; update_existing?: boolean }) => post('/contacts/sync', body);

const counts = (total: number, updated: number, skipped = 0) => ({
	total,
	created: total - updated - skipped,
	updated,
	skipped,
});

const badPhone = [wrong('phone.value', 'Ada', 'Contact', "'Ada'"), wrong('phone.value', '', 'Contact')];

const own = { name: 'Ada Lovelace', tags: ['VIP'], notes: 'Writes programs' };

export const contact = operationsOf('contact', {
	check: {
		minimal: caseWith(adaTyped, get(`${path}/check`), { phone: '905551234567', is_channel_user: true }),
		more: {
			'says of a number that it is not on the channel': caseWith(
				{ phone: byPhone('905551230000') },
				get('/contacts/905551230000/check'),
				{ phone: '905551230000', is_channel_user: false },
			),
		},
		bad: badPhone,
	},
	delete: {
		seed: { contacts },
		minimal: caseWith(adaTyped, remove(path), { deleted: true }),
		bad: badPhone,
		again: '905551234568',
	},
	get: { seed: { contacts }, minimal: caseWith(adaTyped, get(path), whole(ada)), bad: badPhone },
	getAll: {
		seed: { contacts },
		minimal: caseWith({}, get('/contacts', { page: '1', limit: '50' }), ada, grace),
		full: caseWith(
			{
				returnAll: false,
				limit: 10,
				filters: { isChannelUser: true, search: 'ad', tags: ['VIP', 'New'] },
				options: { sortBy: 'name', sortOrder: 'asc' },
			},
			get('/contacts', {
				page: '1',
				limit: '10',
				is_channel_user: 'true',
				search: 'ad',
				tags: 'VIP,New',
				sort_by: 'name',
				sort_order: 'asc',
			}),
			ada,
		),
		more: {
			'does not send filters that were added and left empty': caseWith(
				{ filters: { search: '' } },
				get('/contacts', { page: '1', limit: '50' }),
				ada,
				grace,
			),
		},
		bad: [badLimit, wrong('options.sortOrder', 'up', 'Sort Order', 'up')],
	},
	sync: {
		seed: { contacts: [ada] },
		minimal: caseWith({ phones: '+90 555 123 45 67' }, synced({ phones: ['905551234567'] }), counts(1, 1)),
		full: caseWith(
			{ phones: '+90 555 123 45 67, +90 555 123 45 68', additionalFields: { updateExisting: false } },
			synced({ phones: ['905551234567', '905551234568'], update_existing: false }),
			counts(2, 0, 1),
		),
		more: {
			'takes a list of numbers from an expression': {
				...caseWith(
					{ phones: '={{ $json.phones }}' },
					synced({ phones: ['905551234567', '905551234568', '905551234569'] }),
					counts(3, 1),
				),
				input: [{ json: { phones: ['+90 555 123 45 67', 905551234568, '905551234569'] } }],
			},
		},
		bad: [
			wrong('phones', '905551234567, Ada', 'Phone Numbers', "'Ada'"),
			wrong('phones', '', 'Phone Numbers'),
		],
	},
	update: {
		seed: { contacts },
		minimal: caseWith(
			{ phone: byPhone('905551234567'), updateFields: { name: 'Ada Lovelace' } },
			put(path, { name: 'Ada Lovelace' }),
			{ ...whole(ada), name: 'Ada Lovelace' },
		),
		full: caseWith(
			{
				phone: byPhone('905551234567'),
				updateFields: { ...own, customFields: '{ "city": "London", "visits": 3 }', isBlocked: false },
			},
			put(path, { ...own, custom_fields: { city: 'London', visits: 3 }, is_blocked: false }),
			{ ...whole(ada), ...own, custom_fields: { city: 'London', visits: 3 } },
		),
		more: {
			'clears the fields that were added and left empty': caseWith(
				{ phone: byPhone('905551234567'), updateFields: { name: '', notes: '', tags: [] } },
				put(path, { name: '', notes: '', tags: [] }),
				{ ...whole(ada), name: '', tags: [] },
			),
		},
		bad: [
			...badPhone,
			wrong('updateFields', {}, 'Update Fields'),
			wrong('updateFields.customFields', '{ city', 'Custom Fields'),
			wrong('updateFields.isBlocked', 'perhaps', 'Blocked', 'perhaps'),
		],
	},
});

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
	},
	bad: [],
};
