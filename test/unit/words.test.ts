import { choices, fields, type Placed } from './words/panel';
import { endsProperly, isTitleCase, startsASentence } from './words/rules';
import { sentencesInCode } from './words/sentences';
import { resources } from '../../nodes/MessagingChannel/actions';

/** The places of those that break a rule. */
const breaking = <T>(placed: Array<Placed<T>>, isRight: (what: T) => boolean): string[] =>
	placed.filter(({ what }) => !isRight(what)).map(({ where }) => where);

const visible = fields.filter(({ what }) => what.type !== 'notice' && what.type !== 'hidden');
const notices = fields.filter(({ what }) => what.type === 'notice');
const inputs = visible.filter(({ what }) => what.type !== 'collection');
const operations = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({
		where: `${resource.name} > ${operation.name}`,
		what: operation,
	})),
);

test('there is enough to read', () => {
	expect(visible.length).toBeGreaterThan(80);
	expect(choices.length).toBeGreaterThan(80);
	expect(notices.length).toBeGreaterThan(3);
});

test('labels are in Title Case', () => {
	expect(breaking(visible, ({ displayName }) => isTitleCase(displayName))).toEqual([]);
	expect(breaking(choices, ({ name }) => isTitleCase(name))).toEqual([]);
	const modes = visible.flatMap(({ where, what }) =>
		(what.modes ?? []).map((mode) => ({ where, what: mode })),
	);
	expect(modes.length).toBeGreaterThan(0);
	expect(breaking(modes, ({ displayName }) => isTitleCase(displayName))).toEqual([]);
});

test('labels are not padded and end without punctuation', () => {
	expect(breaking(visible, ({ displayName }) => /[^\s.:!?]$/.test(displayName))).toEqual([]);
	expect(breaking(choices, ({ name }) => name === name.trim() && name !== '')).toEqual([]);
});

test('every input says what it is for', () => {
	const isSelector = (name: string): boolean => name === 'resource' || name === 'operation';
	expect(
		breaking(inputs, ({ name, description, hint }) => isSelector(name) || Boolean(description ?? hint)),
	).toEqual([]);
});

test('descriptions and hints begin with a capital', () => {
	expect(breaking(visible, ({ description }) => startsASentence(description ?? 'None'))).toEqual([]);
	expect(breaking(visible, ({ hint }) => startsASentence(hint ?? 'None'))).toEqual([]);
	expect(breaking(choices, ({ description }) => startsASentence(description ?? 'None'))).toEqual([]);
});

test('a description of one sentence has no full stop, and one of several ends with one', () => {
	expect(breaking(visible, ({ description }) => endsProperly(description ?? 'None'))).toEqual([]);
	expect(breaking(visible, ({ hint }) => endsProperly(hint ?? 'None'))).toEqual([]);
	expect(breaking(choices, ({ description }) => endsProperly(description ?? 'None'))).toEqual([]);
});

test('notices are whole sentences', () => {
	expect(breaking(notices, ({ displayName }) => /^\p{Lu}.*\.$/u.test(displayName))).toEqual([]);
});

test('the description of a switch begins with Whether', () => {
	const switches = visible.filter(({ what }) => what.type === 'boolean');
	expect(switches.length).toBeGreaterThan(5);
	expect(breaking(switches, ({ description }) => /^Whether /.test(description ?? ''))).toEqual([]);
});

test('placeholders begin with e.g., those of collections with Add', () => {
	const isGroup = ({ what }: (typeof visible)[number]): boolean => /collection$/i.test(what.type);
	const withPlaceholder = inputs.filter((input) => !isGroup(input) && input.what.placeholder !== undefined);
	expect(withPlaceholder.length).toBeGreaterThan(10);
	expect(breaking(withPlaceholder, ({ placeholder }) => /^e\.g\. \S/.test(placeholder ?? ''))).toEqual([]);
	const modes = inputs.flatMap(({ where, what }) =>
		(what.modes ?? []).map((mode) => ({ where, what: mode })),
	);
	expect(breaking(modes, ({ placeholder = 'e.g. 1' }) => /^e\.g\. \S/.test(placeholder))).toEqual([]);
	const collections = visible.filter(isGroup).filter(({ what }) => !('values' in Object(what.default)));
	expect(breaking(collections, ({ placeholder }) => /^Add \p{Lu}/u.test(placeholder ?? ''))).toEqual([]);
});

test('every operation has a name, an action in sentence case, and a description', () => {
	expect(operations.length).toBeGreaterThan(50);
	expect(breaking(operations, ({ name }) => isTitleCase(name) && name !== '')).toEqual([]);
	expect(breaking(operations, ({ action }) => /^\p{Lu}[\p{Ll} -]+$/u.test(action))).toEqual([]);
	expect(
		breaking(operations, ({ description }) => startsASentence(description) && endsProperly(description)),
	).toEqual([]);
});

test('no two operations of the node have the same action', () => {
	const actions = operations.map(({ what }) => what.action);
	expect(actions).toEqual([...new Set(actions)]);
});

test('nothing that users read speaks of errors, problems or failures, or shows what code left over', () => {
	const sentences = sentencesInCode();
	expect(sentences.length).toBeGreaterThan(200);
	const unwanted = /\b(errors?|problems?|failures?|mistakes?|please|undefined|NaN|\[object)\b/i;
	expect(sentences.filter(([, text]) => unwanted.test(text))).toEqual([]);
	const shown = fields.flatMap(({ what: { displayName, description, hint, placeholder } }) => [
		displayName,
		description ?? '',
		hint ?? '',
		placeholder ?? '',
	]);
	expect(shown.filter((text) => unwanted.test(text))).toEqual([]);
});

describe('the rules see', () => {
	test.each(['put Output File', 'Send text', 'Max rate Limit'])('that %j is not in Title Case', (label) => {
		expect(isTitleCase(label)).toBe(false);
	});

	test.each(['Put Output File in Field', 'By ID', 'Variables (JSON)', '1 to 5'])(
		'that %j is in Title Case',
		(label) => {
			expect(isTitleCase(label)).toBe(true);
		},
	);

	test.each(['One sentence.', 'Two. Sentences', 'Is it? It is', 'First. 0 is off'])(
		'that %j does not end as it should',
		(text) => {
			expect(endsProperly(text)).toBe(false);
		},
	);

	test.each(['One sentence', 'Two. Sentences.', 'A name, e.g. Ada', 'First. 0 is off.'])(
		'that %j ends as it should',
		(text) => {
			expect(endsProperly(text)).toBe(true);
		},
	);

	test.each(['lower case', ' Padded', '(in brackets)'])('that %j does not begin as it should', (text) => {
		expect(startsASentence(text)).toBe(false);
	});
});
