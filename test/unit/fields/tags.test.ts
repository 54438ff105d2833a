import { skipTags } from '../../../nodes/MessagingChannel/fields/tags';
import { refusal } from './refusal';

const read = (names: string[]) => skipTags.toApi?.(names as never, {});

test('contacts are skipped by the names of their tags', () => {
	expect(read(['VIP', 'No news'])).toEqual({ skipTags: ['VIP', 'No news'] });
});

test('no tag at all is refused', () => {
	expect(() => read([])).toThrow(refusal('is empty', 'Enter a tag, or remove the field.'));
});

test('a tag with a comma is refused and shown', () => {
	expect(() => read(['VIP', 'VIP, gold'])).toThrow(
		refusal(
			"contains a tag with a comma, which the service cannot look for: 'VIP, gold'",
			'Give the contacts a tag without a comma.',
		),
	);
});
