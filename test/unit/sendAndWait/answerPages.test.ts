import { createHash } from 'node:crypto';

import {
	FIELD_TYPES,
	type FieldType,
	type FormField,
} from '../../../nodes/MessagingChannel/sendAndWait/formField';
import { parseForm } from '../../../nodes/MessagingChannel/sendAndWait/parseForm';
import { markup, PAGE_HEADERS } from '../../../nodes/MessagingChannel/sendAndWait/html';
import {
	chatOnlyPage,
	closedPage,
	questionPage,
	thanksPage,
	type Attempt,
} from '../../../nodes/MessagingChannel/sendAndWait/answerPages';
import {
	DEFAULT_TEXTS,
	FORM_TEXTS,
	type PageTexts,
} from '../../../nodes/MessagingChannel/sendAndWait/pageTexts';
import type { Form, Question } from '../../../nodes/MessagingChannel/sendAndWait/question';

const EVIL = `"'><script>alert(1)</script>\`&amp;`;

const approval: Question = {
	message: 'Ship it?',
	reply: { type: 'approval', approve: 'Yes', decline: 'No' },
	isAttributed: false,
};

const fieldsWith = (text: string): FormField[] =>
	FIELD_TYPES.map((type) => ({
		label: `${type} ${text}`,
		type,
		isRequired: true,
		placeholder: text,
		choices: [text, 'other'],
	}));

const formWith = (text: string, more: Partial<Form> = {}): Question => ({
	...approval,
	message: text,
	reply: {
		type: 'customForm',
		fields: fieldsWith(text),
		link: text,
		title: text,
		description: text,
		button: text,
		...more,
	},
});

const pages: Array<[string, string, () => string]> = [
	['a confirmation', 'Confirm your answer', () => questionPage(approval, true)],
	['a form', 'Size', () => questionPage(formWith('Size'), false)],
	['a question for the chat alone', 'About this question', () => chatOnlyPage(approval)],
	['the thanks', 'Thank you', () => thanksPage({})],
	['a closed question', 'This question is closed', closedPage],
];

test.each(pages)('%s is whole, fits a phone, and loads nothing', (_, title, create) => {
	const page = create();
	expect(page).toMatch(/^<!doctype html><html lang="en"[^]*<\/html>$/);
	expect(page).toContain('name="viewport"');
	expect(page).toContain('<meta name="robots" content="noindex">');
	expect(page.match(/<h1>[^<]*/g)).toEqual([`<h1>${title}`]);
	expect(page).toContain(`<title>${title}</title>`);
	expect(page).not.toMatch(/\b(src|href|action|on\w+)=|<script|@import|url\(/);
	const style = /<style>([^]*)<\/style>/.exec(page)?.[1] ?? '';
	const digest = createHash('sha256').update(style).digest('base64');
	expect(PAGE_HEADERS['Content-Security-Policy']).toContain(`style-src 'sha256-${digest}'`);
});

test('the headers let the page only send its form, and keep the link, which is the key to the answer, from others', () => {
	const { 'Content-Security-Policy': policy, ...others } = PAGE_HEADERS;
	expect(
		policy
			?.replace(/ style-src '[^']*';?/, '')
			.split('; ')
			.sort(),
	).toEqual(["base-uri 'none'", "default-src 'none'", "frame-ancestors 'none'", 'sandbox allow-forms']);
	expect(others).toMatchObject({
		'Content-Type': 'text/html; charset=utf-8',
		'X-Content-Type-Options': 'nosniff',
		'Referrer-Policy': 'no-referrer',
		'Cache-Control': 'no-store',
	});
});

test('an approval shows the question and the one answer that the link stands for', () => {
	expect(questionPage(approval, true)).toContain('<button type="submit">Yes</button>');
	expect(questionPage(approval, false)).toContain('<button type="submit">No</button>');
	expect(questionPage(approval, true)).toContain('<p class="message">Ship it?</p>');
});

test('an approval that can be given in the chat shows all of its answers', () => {
	const inChat = { code: 'K7F4', responders: [] };
	const button = (answer: string) => `<p><button type="submit" name="approved" value="${answer}</button></p>`;
	const one: Question = { ...approval, reply: { type: 'approval', approve: 'Yes' } };
	expect(questionPage({ ...approval, inChat }, false)).toContain(
		`Ship it?</p>${button('true">Yes')}${button('false">No')}</form>`,
	);
	expect(questionPage({ ...one, inChat }, false)).toContain(`Ship it?</p>${button('true">Yes')}</form>`);
});

test('the thanks for an approval say which button was pressed', () => {
	expect(thanksPage({}, 'Approve')).toContain('<p class="answer">You answered: Approve</p>');
	expect(thanksPage({})).toContain('</h1><p>Your answer was received.');
});

test('a form has the message above it unless it has a description', () => {
	expect(questionPage(formWith('Size', { description: '' }), false)).toContain('<p class="message">Size</p>');
	expect(questionPage(formWith('Size', { description: 'Other' }), false)).toContain('message">Other</p>');
});

describe('the words of the pages', () => {
	const names = Object.keys(DEFAULT_TEXTS) as Array<keyof PageTexts>;
	const own = Object.fromEntries(names.map((name) => [name, `<${name}>`])) as PageTexts;
	const fields = formWith('X').reply as Form;
	const filled = (values: Record<string, unknown>, isRequired: boolean) => {
		const all = fields.fields.map((field) => ({ ...field, isRequired }));
		const submitted = Object.fromEntries(all.map(({ type }, index) => [`field-${index}`, values[type]]));
		const parsed = parseForm(all, submitted, own);
		const attempt = { submitted, errors: 'errors' in parsed ? parsed.errors : new Map<number, string>() };
		return questionPage({ ...formWith('X'), texts: own }, false, attempt);
	};
	const invalid = {
		checkbox: ['?'],
		date: '?',
		dropdown: '?',
		email: '?',
		number: '?',
		radio: '?',
		text: ['1', '2'],
	};
	const everyPage = () =>
		[
			thanksPage({ texts: own }, 'Yes'),
			closedPage({ texts: own }),
			questionPage({ ...approval, texts: own }, true),
			chatOnlyPage({ ...approval, texts: own }),
			filled({}, true),
			filled(invalid, false),
		].join('');

	test('are all the user’s', () => {
		const pages = everyPage();
		const inMessage = ['attribution', 'replyText', 'orText', 'replyFreelyText', 'codeText'];
		const inForm = [...FORM_TEXTS, 'textFieldLabel'];
		const notOnPages = [...inMessage, 'linkText', ...inForm];
		for (const name of names.filter((each) => !notOnPages.includes(each))) {
			expect(pages).toContain(`&#60;${name}&#62;`);
			expect(pages).not.toContain(DEFAULT_TEXTS[name]);
		}
	});

	test('have no other words between their tags', () => {
		const shown = everyPage()
			.replace(/<style>[^]*?<\/style>/g, '')
			.replace(/<[^>]*>/g, ' ')
			.replace(/&#60;\w+&#62;/g, '');
		expect([...new Set(shown.match(/\p{L}+/gu))].sort()).toEqual(
			['Ship', 'Yes', 'X', 'it', 'other', ...FIELD_TYPES].sort(),
		);
	});

	test('have the user’s language', () => {
		const language = 'tr';
		for (const page of [
			thanksPage({ language }),
			closedPage({ language }),
			questionPage({ ...approval, language }, true),
			questionPage({ ...formWith('X'), language }, true),
		])
			expect(page).toContain('<html lang="tr" dir="auto">');
	});
});

describe('text of users and senders is never HTML', () => {
	const submitted = Object.fromEntries(FIELD_TYPES.map((_, index) => [`field-${index}`, EVIL]));
	const attempt = { submitted, errors: new Map([[0, EVIL]]) };
	const texts = Object.fromEntries(Object.keys(DEFAULT_TEXTS).map((name) => [name, EVIL])) as PageTexts;
	const words = { texts, language: EVIL };
	const evilApproval: Question = {
		...approval,
		...words,
		message: EVIL,
		reply: { type: 'approval', approve: EVIL, decline: EVIL },
	};
	const evilForm = { ...formWith(EVIL), ...words };

	test.each([
		['a form', () => questionPage(evilForm, false)],
		['a form that was filled in', () => questionPage(evilForm, false, attempt)],
		['an approval', () => questionPage(evilApproval, true)],
		['the thanks', () => thanksPage(words, EVIL)],
		['a closed question', () => closedPage(words)],
	])('%s', (_, create) => {
		const page = create();
		expect(page).toContain('<html lang="&#34;&#39;&#62;&#60;script&#62;');
		expect(page).not.toContain('<script');
		expect(page).not.toContain(EVIL);
		expect(page).toContain('&#34;&#39;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#96;&#38;amp;');
		const plain = (text: string) => text.replaceAll(/"[^"]*"|>[^<]*/g, '');
		// Taking the texts away leaves the same tags as harmless texts do.
		expect(plain(page)).not.toMatch(/script|alert/);
	});

	test('HTML from the code stays HTML, in a list too', () => {
		expect(markup`${[markup`<b>`, '<i>', 7]}`.source).toBe('<b>&#60;i&#62;7');
	});
});

describe('a field of a form', () => {
	const LABEL = 'Size';
	const WRONG = '<p class="wrong" id="field-0-wrong">Wrong.</p>';
	const ARIA = ' aria-invalid="true" aria-describedby="field-0-wrong"';
	const STAR = ' <span aria-hidden="true">*</span>';
	const ID = ' id="field-0" name="field-0"';

	/** What the page has between the message and the button. */
	const shown = (field: Partial<FormField>, text?: string | string[], error?: string) => {
		const fields: FormField[] = [{ label: LABEL, type: 'text', isRequired: false, choices: [], ...field }];
		const attempt: Attempt = {
			submitted: { 'field-0': text },
			errors: new Map(error === undefined ? [] : [[0, error]]),
		};
		const page = questionPage(formWith('Message', { fields }), false, attempt);
		return /<p class="message">Message<\/p>([^]*)<button/.exec(page)?.[1];
	};
	const labelled = (input: string, mark = '') =>
		`<div class="field"><label for="field-0">Size${mark}</label>${input}</div>`;

	test.each<[FieldType, string]>([
		['text', `<input type="text" value="7"${ID} placeholder="e.g. 7">`],
		['email', `<input type="email" value="7"${ID} placeholder="e.g. 7">`],
		['date', `<input type="date" value="7"${ID} placeholder="e.g. 7">`],
		['number', `<input type="number" step="any" value="7"${ID} placeholder="e.g. 7">`],
		['textarea', `<textarea rows="4"${ID} placeholder="e.g. 7">\n7</textarea>`],
	])('%s: shows what was filled in, and what to fill in', (type, input) => {
		expect(shown({ type, placeholder: 'e.g. 7' }, '7')).toBe(labelled(input));
	});

	test('is empty at first, and says whether it is required', () => {
		const input = (required = '') => `<input type="text" value=""${ID}${required} placeholder="">`;
		expect(shown({})).toBe(labelled(input()));
		expect(shown({ isRequired: true })).toBe(labelled(input(' required'), STAR));
	});

	test('says what is wrong, for a screen reader too', () => {
		const input = `<input type="text" value=""${ID}${ARIA} placeholder="">`;
		const warning = '<p class="wrong" role="alert">Check the marked fields.</p>';
		expect(shown({}, '', 'Wrong.')).toBe(warning + labelled(input + WRONG));
	});

	test('dropdown: has a list, with nothing chosen at first', () => {
		const listed = (selected: string) =>
			labelled(
				`<select${ID}><option value=""></option><option value="S">S</option><option value="L"${selected}>L</option></select>`,
			);
		const field: Partial<FormField> = { type: 'dropdown', choices: ['S', 'L'] };
		expect(shown(field)).toBe(listed(''));
		expect(shown(field, 'L')).toBe(listed(' selected'));
	});

	// HTML cannot require one of several checkboxes.
	test.each<[FieldType, string]>([
		['radio', ' required'],
		['checkbox', ''],
	])('%s: is a group with a box for each choice', (type, required) => {
		const group = (marks: { aria?: string; star?: string; required?: string; wrong?: string } = {}) => {
			const box = (choice: string, checked = '') =>
				`<label class="choice"><input type="${type}" name="field-0" value="${choice}"${checked}${marks.required ?? ''}> ${choice}</label>`;
			const legend = `<legend>Size${marks.star ?? ''}</legend>`;
			return `<fieldset class="field"${marks.aria ?? ''}>${legend}${box('S')}${box('L', ' checked')}${marks.wrong ?? ''}</fieldset>`;
		};
		const field = { type, choices: ['S', 'L'] };
		expect(shown(field, 'L')).toBe(group());
		expect(shown({ ...field, isRequired: true }, 'L')).toBe(group({ star: STAR, required }));
		expect(shown(field, 'L', 'Wrong.')).toContain(group({ aria: ARIA, wrong: WRONG }));
	});
});
