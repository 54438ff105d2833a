import { getAll } from '../../../nodes/MessagingChannel/actions/contact/getAll';
import { sync } from '../../../nodes/MessagingChannel/actions/contact/sync';
import { update } from '../../../nodes/MessagingChannel/actions/contact/update';
import { located, requestFor } from '../entered';

describe('sync', () => {
	const sent = (phones: unknown) => requestFor(sync, { phones }).parameters;

	test('sends each number once, in whatever forms it is listed', () => {
		expect(sent('+90 555 123 45 67, 00905551234567\n905551234568')).toEqual({
			phones: ['905551234567', '905551234568'],
		});
		expect(sent([905551234567, '905551234567'])).toEqual({ phones: ['905551234567'] });
	});

	test.each([
		['', 'is empty'],
		[[], 'is empty'],
		['905551234567, Ada', "is not a valid phone number: 'Ada'"],
		['905551234567@c.us', "is not a valid phone number: '905551234567@c.us'"],
		[[{ phone: '905551234567' }], 'is an object, not text'],
	])('%j is refused', (phones, problem) => {
		expect(() => sent(phones)).toThrow(`'Phone Numbers' ${problem}`);
	});
});

describe('get many', () => {
	test('the service wants tags as one text', () => {
		const { parameters } = requestFor(getAll, { filters: { tags: ['VIP', 'New'] } });
		expect(parameters).toEqual({ tags: 'VIP,New' });
	});

	test('asks for those off the channel when it is told so', () => {
		const { parameters } = requestFor(getAll, { filters: { isChannelUser: false } });
		expect(parameters).toEqual({ isChannelUser: false });
	});

	test.each([['up'], ['']])('sort order %j is refused or left out', (sortOrder) => {
		const ask = () => requestFor(getAll, { options: { sortOrder } }).parameters;
		if (sortOrder === '') expect(ask()).toEqual({});
		else expect(ask).toThrow("'Sort Order' is not one of the options: 'up'");
	});
});

describe('update', () => {
	const sent = (updateFields: object) =>
		requestFor(update, { phone: located('phone', '905551234567'), updateFields }).parameters;

	test('sends only the fields that were added', () => {
		expect(sent({ isBlocked: false })).toEqual({ phone: '905551234567', isBlocked: false });
	});

	test('clears the fields that were added and left empty', () => {
		expect(sent({ name: '', notes: '', tags: [] })).toEqual({
			phone: '905551234567',
			name: '',
			notes: '',
			tags: [],
		});
	});

	test.each([
		[{}, "'Update Fields' is empty"],
		[{ customFields: '{ city' }, "'Custom Fields' is not valid JSON"],
		[{ customFields: '["London"]' }, "'Custom Fields' is a list, not an object"],
		[{ isBlocked: 'perhaps' }, "'Blocked' is neither true nor false: 'perhaps'"],
	])('%j is refused', (updateFields, problem) => {
		expect(() => sent(updateFields)).toThrow(problem);
	});
});
