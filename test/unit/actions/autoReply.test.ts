import { create } from '../../../nodes/MessagingChannel/actions/autoReply/create';
import { requestFor } from '../entered';

const whole = { name: 'Hours', triggerType: 'keyword', triggerValue: 'open', reply: 'From 9 to 18' };

test('a rule is sent as it was entered', () => {
	expect(requestFor(create, { ...whole, additionalFields: { isActive: false } }).parameters).toEqual({
		...whole,
		isActive: false,
	});
});

test('a trigger type that only the service knows can be entered', () => {
	expect(requestFor(create, { ...whole, triggerType: 'location' }).parameters).toMatchObject({
		triggerType: 'location',
	});
});

test.each([
	['name', 'Name'],
	['triggerType', 'Trigger Type'],
	['triggerValue', 'Trigger Value'],
	['reply', 'Reply'],
])('a rule without %s is refused', (field, label) => {
	expect(() => requestFor(create, { ...whole, [field]: '' })).toThrow(`'${label}' is empty`);
});
