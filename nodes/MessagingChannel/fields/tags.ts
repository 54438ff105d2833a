import type { INodePropertyOptions } from 'n8n-workflow';

import { tagNamesOf } from '../api/tag';
import { InvalidInput, shown } from '../operation/input';
import type { Field } from '../operation/operation';
import { listing } from './listSearch';

/** Gets the tags of the account, for a list (API spec, "Groups and tags"). */
export const getTags = listing(async (client): Promise<INodePropertyOptions[]> => {
	const names = await tagNamesOf(client);
	return names.map((name) => ({ name, value: name }));
});

/**
 * Tags by name, existing or new ones. n8n's usual label for a list, "Names or IDs", would be untrue: the API takes names. The
 * linter asks for it where label and type stand in one object.
 */
const tagNames = {
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getTags' },
	allowArbitraryValues: true,
	default: [],
} satisfies Partial<Field>;

export const tags: Field = {
	displayName: 'Tags',
	name: 'tags',
	...tagNames,
	description:
		'Choose from the list, or specify names using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	// In an update, the rest would replace all tags of the contact.
	mustBeWhole: true,
};

/** The contacts that a send leaves out. */
export const skipTags: Field = {
	displayName: 'Recipients: Skip Tags',
	name: 'skipTags',
	...tagNames,
	description:
		'Contacts with one of these tags get no message; the output says so. Choose from the list, or specify names using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	api: [],
	// Without the tags, people who opted out would get the message.
	mustResolve: true,
	mustBeWhole: true,
	readsEmpty: true,
	toApi: (names: string[]) => ({ skipTags: validTags(names) }),
};

/**
 * Checks that the service can look for contacts with these tags, which it takes with commas between them.
 *
 * @throws InvalidInput when all tags are blank, or one contains a comma
 */
export function validTags(names: string[]): string[] {
	// The service may take a blank tag for all contacts.
	if (names.length === 0) throw new InvalidInput('is empty', 'Enter a tag, or remove the field.');
	const withComma = names.find((name) => name.includes(','));
	if (withComma === undefined) return names;
	throw new InvalidInput(
		`contains a tag with a comma, which the service cannot look for: ${shown(withComma)}`,
		'Give the contacts a tag without a comma.',
	);
}
