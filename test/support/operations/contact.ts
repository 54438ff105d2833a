import {
	badLimit,
	caseWith,
	dateTime,
	get,
	operationsOf,
	post,
	put,
	remove,
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

const synced = (phones: string[], more = {}) => post('/contacts/sync', { phones, ...more });

const counts = (total: number, created: number, updated: number, skipped: number) => ({
	...{ total, created, updated, skipped },
});

const badPhone = [wrong('phone.value', 'Ada', 'Contact', "'Ada'"), wrong('phone.value', '', 'Contact')];

const own = { name: 'Ada Lovelace', tags: ['VIP'], notes: 'Writes programs' };

export const contact = operationsOf('contact', {
	check: {
		minimal: caseWith(adaTyped, get(`${path}/check`), { phone: '905551234567', is_channel_user: true }),
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
		bad: [badLimit, wrong('options.sortOrder', 'up', 'Sort Order', 'up')],
	},
	sync: {
		seed: { contacts: [ada] },
		minimal: caseWith({ phones: '+90 555 123 45 67' }, synced(['905551234567']), counts(1, 0, 1, 0)),
		full: caseWith(
			{ phones: '+90 555 123 45 67, +90 555 123 45 68', additionalFields: { updateExisting: false } },
			synced(['905551234567', '905551234568'], { update_existing: false }),
			counts(2, 1, 0, 1),
		),
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

/** A list over several pages, which needs more contacts than the other cases. */
export const contactPages: OperationCases = {
	resource: 'contact',
	operation: 'getAll',
	seed: { contacts: many },
	minimal: {
		parameters: { returnAll: false, limit: 110, options: { sortBy: 'phone', sortOrder: 'asc' } },
		requests: ['1', '2', '3'].map((page) =>
			get('/contacts', { page, limit: '50', sort_by: 'phone', sort_order: 'asc' }),
		),
		items: many.slice(0, 110).map((json) => ({ json })),
	},
	bad: [],
};
