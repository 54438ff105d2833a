import { createHash } from 'node:crypto';

import { parseForm } from '../../../nodes/MessagingChannel/sendAndWait/answer';
import { FIELD_TYPES, type FormField } from '../../../nodes/MessagingChannel/sendAndWait/formField';
import { markup, PAGE_HEADERS } from '../../../nodes/MessagingChannel/sendAndWait/html';
import {
	closedPage,
	questionPage,
	thanksPage,
} from '../../../nodes/MessagingChannel/sendAndWait/answerPages';
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

const pages: Array<[string, string]> = [
	['a confirmation', questionPage(approval, true)],
	['a form', questionPage(formWith('Size'), false)],
	['the thanks', thanksPage()],
	['a closed question', closedPage()],
];

describe('every page', () => {
	test.each(pages)('%s is whole, speaks a language, fits a phone, and has one heading', (_, page) => {
		expect(page).toMatch(/^<!doctype html><html lang="en"[^]*<\/html>$/);
		expect(page).toContain('name="viewport"');
		expect(page.match(/<h1>/g)).toHaveLength(1);
		expect(page).toMatch(/<title>[^<]+<\/title>/);
	});

	test.each(pages)('%s loads nothing, and its style is the one that the headers allow', (_, page) => {
		expect(page).not.toMatch(/\b(src|href|action|on\w+)=|<script|@import|url\(/);
		const style = /<style>([^]*)<\/style>/.exec(page)?.[1] ?? '';
		const digest = createHash('sha256').update(style).digest('base64');
		expect(PAGE_HEADERS['Content-Security-Policy']).toContain(`style-src 'sha256-${digest}'`);
	});
});

describe('the headers', () => {
	test('let the page only send its form', () => {
		const policy = PAGE_HEADERS['Content-Security-Policy']?.split('; ');
		expect(policy).toEqual(
			expect.arrayContaining([
				'sandbox allow-forms',
				"default-src 'none'",
				"base-uri 'none'",
				"frame-ancestors 'none'",
			]),
		);
		expect(policy).toHaveLength(5);
	});

	test('keep the link, which is the key to the answer, from others', () => {
		expect(PAGE_HEADERS).toMatchObject({ 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' });
	});
});

test('an approval shows the question and the one answer that the link stands for', () => {
	expect(questionPage(approval, true)).toContain('<button type="submit">Yes</button>');
	expect(questionPage(approval, false)).toContain('<button type="submit">No</button>');
	expect(questionPage(approval, true)).toContain('<p class="message">Ship it?</p>');
});

test('a form has the message above it unless it has a description', () => {
	expect(questionPage(formWith('Size', { description: '' }), false)).toContain('<p class="message">Size</p>');
	expect(questionPage(formWith('Size', { description: 'Other' }), false)).toContain('message">Other</p>');
});

describe('text of users and senders is never HTML', () => {
	const submitted = Object.fromEntries(FIELD_TYPES.map((_, index) => [`field-${index}`, EVIL]));
	const { errors = new Map<number, string>() } = parseForm(fieldsWith('Size'), submitted) as {
		errors?: Map<number, string>;
	};

	test.each([
		['a form', questionPage(formWith(EVIL), false)],
		['a form that was filled in', questionPage(formWith(EVIL), false, { submitted, errors: errors })],
		[
			'an approval',
			questionPage(
				{ ...approval, message: EVIL, reply: { type: 'approval', approve: EVIL, decline: EVIL } },
				true,
			),
		],
	])('%s', (_, page) => {
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

describe('a form that was not accepted', () => {
	const fields = fieldsWith('Size');
	const submitted = {
		'field-0': ['other'],
		'field-2': 'other',
		'field-4': 'many',
		'field-6': '\nfirst line',
		'field-7': 'text',
	};
	const filled = parseForm(fields, submitted);
	const errors = 'errors' in filled ? filled.errors : new Map<number, string>();
	const page = questionPage(formWith('Size'), false, { submitted, errors: errors });

	test('marks each such field and says why, for a screen reader too', () => {
		const marked = [...errors.keys()];
		expect(marked.length).toBeGreaterThan(2);
		for (const index of marked) {
			expect(page).toContain(`aria-invalid="true" aria-describedby="field-${index}-wrong"`);
			expect(page).toContain(`id="field-${index}-wrong">${errors.get(index)}</p>`);
		}
		expect(page.match(/aria-invalid/g)).toHaveLength(marked.length);
		expect(page).toContain('role="alert"');
	});

	test('keeps what was filled in', () => {
		expect(page).toContain('name="field-0" value="other" checked>');
		expect(page).toContain('<option value="other" selected>');
		expect(page).toContain('value="many"');
	});

	test('each field has its label', () => {
		for (const [index, { type }] of fields.entries()) {
			const isGroup = type === 'checkbox' || type === 'radio';
			expect(page.includes(`for="field-${index}"`)).toBe(!isGroup);
		}
		expect(page.match(/<legend>/g)).toHaveLength(2);
	});
});
