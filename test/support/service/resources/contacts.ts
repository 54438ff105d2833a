import { ApiError, invalid } from '../core/apiError';
import { data, pageOf, recordsOf, type CheckedRequest, type PageQuery } from '../core/call';
import { normalizePhone } from '../core/phone';
import { requireConnected } from '../core/sending';
import { ensureContact, isRegistered } from '../core/store';

const digitsOf = (text: string): string => {
	const phone = normalizePhone(text);
	if (phone === undefined) throw invalid(`${text} is not a phone number.`);
	return phone;
};

/** GET, PUT and DELETE /contacts/{phone} */
export const { get, update, remove } = recordsOf(
	({ contacts }) => contacts,
	'The contact',
	({ phone = '' }) => digitsOf(phone),
	(phone) => new ApiError(404, 'contact_not_found', `There is no contact with ${phone}.`),
);

interface ListQuery extends PageQuery {
	search?: string;
	tags?: string;
	is_channel_user?: boolean;
	sort_by: 'last_message_at' | 'name' | 'phone' | 'created_at';
	sort_order: 'asc' | 'desc';
}

/** GET /contacts */
export const getAll = ({ runtime, query }: CheckedRequest<unknown, ListQuery>) => {
	const search = query.search?.toLowerCase() ?? '';
	const tags = query.tags?.split(',').map((tag) => tag.trim()) ?? [];
	const direction = query.sort_order === 'asc' ? 1 : -1;
	const found = [...runtime.store.contacts.values()]
		.filter(
			(contact) =>
				(contact.name.toLowerCase().includes(search) || contact.phone.includes(search)) &&
				(tags.length === 0 || tags.some((tag) => contact.tags.includes(tag))) &&
				(query.is_channel_user ?? contact.is_channel_user) === contact.is_channel_user,
		)
		// The phone breaks ties, so that pages never overlap.
		.sort((a, b) => {
			const [left, right] = [a[query.sort_by] ?? '', b[query.sort_by] ?? ''];
			if (left !== right) return left < right ? -direction : direction;
			return a.phone < b.phone ? -1 : 1;
		})
		.map(({ phone, name, tags: own, is_channel_user }) => ({ phone, name, tags: own, is_channel_user }));
	return pageOf(found, query);
};

/** GET /contacts/{phone}/check */
export const check = ({ runtime, path }: CheckedRequest) => {
	const phone = digitsOf(path.phone ?? '');
	requireConnected(runtime);
	const is_channel_user = isRegistered(runtime.store, phone);
	return { status: 200, json: { success: true, phone, is_channel_user } };
};

/** The most phones one call takes ("Limits": not shown). */
const MAX_PHONES = 100;

/** POST /contacts/sync */
export const sync = ({ runtime, body }: CheckedRequest<{ phones: string[]; update_existing: boolean }>) => {
	const { store } = runtime;
	if (body.phones.length > MAX_PHONES) {
		const message = `At most ${MAX_PHONES} phones fit in one call; split the list.`;
		throw new ApiError(400, 'too_many_phones', message);
	}
	const phones = new Set(body.phones.map(digitsOf));
	requireConnected(runtime);
	const result = { total: phones.size, created: 0, updated: 0, skipped: 0 };
	for (const phone of phones) {
		const contact = store.contacts.get(phone);
		if (!contact) {
			ensureContact(store, phone, runtime.clock.now());
			result.created += 1;
		} else if (body.update_existing) {
			contact.is_channel_user = isRegistered(store, phone);
			result.updated += 1;
		} else {
			result.skipped += 1;
		}
	}
	return data(result);
};
