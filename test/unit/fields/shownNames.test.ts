import { previewOf, shownNumber } from '../../../nodes/MessagingChannel/fields/shownNames';

test.each([
	['905551112233', '+90 555 111 22 33'],
	['12025550123', '+1 202 555 01 23'],
	['4915112345678', '+49 151 123 456 78'],
	['33612345678', '+33 612 345 678'],
	['4512345678', '+45 123 456 78'],
	['3541234567', '+354 123 45 67'],
	['05551112233', '05551112233'],
	['120363041234567890', '120363041234567890'],
	['Ada', 'Ada'],
])('%s is shown as %s', (digits, expected) => {
	expect(shownNumber(digits)).toBe(expected);
});

test('a short text is shown whole, in one line', () => {
	expect(previewOf(' Hello {{name}},\n\nwelcome! ')).toBe('Hello {{name}}, welcome!');
});

test('of a long text the beginning is shown, with whole characters', () => {
	expect(previewOf('👋'.repeat(80))).toBe(`${'👋'.repeat(60)}…`);
	expect(previewOf('a'.repeat(60))).toBe('a'.repeat(60));
	expect(previewOf(`${'a'.repeat(59)} ${'b'.repeat(9)}`)).toBe(`${'a'.repeat(59)}…`);
});
