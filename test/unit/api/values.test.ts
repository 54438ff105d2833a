import { isOn } from '../../../nodes/MessagingChannel/api/values';

test.each([false, 'false', ' False\n', 0, '0', ' 0 ', '', ' ', null, undefined])(
	'%j turns a switch off',
	(value) => {
		expect(isOn(value)).toBe(false);
	},
);

test.each([true, 'true', ' true ', 1, '1', 'no'])('%j turns it on', (value) => {
	expect(isOn(value)).toBe(true);
});
