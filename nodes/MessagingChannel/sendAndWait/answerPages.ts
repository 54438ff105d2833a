import { fieldName, textsIn, type Submitted } from './answer';
import type { FormField } from './formField';
import { markup, pageOf, type Html, type Part } from './html';
import type { Approval, Form, Question } from './question';

/** What somebody filled in, and what is wrong with it. */
export interface Attempt {
	submitted: Submitted;
	/** By the position of the field. */
	errors: Map<number, string>;
}

const NO_ATTEMPT: Attempt = { submitted: {}, errors: new Map() };

/**
 * The page that a link in the message leads to. Looking at it changes nothing: chat apps and mail scanners fetch links
 * too, so only its button answers.
 *
 * @param isApproved which of the links of an approval it was
 * @param attempt what was filled in before, when it could not be taken
 */
export function questionPage(
	{ message, reply }: Question,
	isApproved: boolean,
	attempt = NO_ATTEMPT,
): string {
	return reply.type === 'approval'
		? confirmationPage(message, reply, isApproved)
		: formPage(message, reply, attempt);
}

/** The answer was taken. */
export function thanksPage(): string {
	return pageOf('Thank you', markup`<p>Your answer was received. You can close this page.</p>`);
}

/** There is nothing to answer any more. */
export function closedPage(): string {
	return pageOf(
		'This question is closed',
		markup`<p>Someone has already answered, or the time to answer is over. You can close this page.</p>`,
	);
}

function confirmationPage(message: string, { approve, decline = '' }: Approval, isApproved: boolean): string {
	return pageOf(
		'Confirm your answer',
		form(markup`<p class="message">${message}</p>`, isApproved ? approve : decline),
	);
}

function formPage(
	message: string,
	{ title, description, fields, button }: Form,
	{ submitted, errors }: Attempt,
): string {
	const warning = markup`<p class="wrong" role="alert">Check the marked fields.</p>`;
	const inputs = fields.map((field, index) =>
		fieldOf(field, index, textsIn(submitted, index), errors.get(index)),
	);
	const content = [
		markup`<p class="message">${description || message}</p>`,
		errors.size > 0 ? warning : '',
		...inputs,
	];
	return pageOf(title, form(content, button));
}

/** n8n takes a form only as multipart. Without an action, it goes to the page's own address, which is signed. */
function form(content: Part, button: string): Html {
	const end = markup`<button type="submit">${button}</button></form>`;
	return markup`<form method="post" enctype="multipart/form-data">${content}${end}`;
}

function fieldOf(field: FormField, index: number, texts: string[], error?: string): Html {
	const id = fieldName(index);
	const isWrong = error !== undefined;
	const name = markup`${field.label}${field.isRequired ? markup` <span aria-hidden="true">*</span>` : ''}`;
	const wrong = isWrong ? markup`<p class="wrong" id="${id}-wrong">${error}</p>` : '';
	const state = isWrong ? markup` aria-invalid="true" aria-describedby="${id}-wrong"` : '';
	if (field.type === 'checkbox' || field.type === 'radio') {
		const boxes = field.choices.map((choice) => boxOf(field, id, choice, texts.includes(choice)));
		return markup`<fieldset class="field"${state}><legend>${name}</legend>${boxes}${wrong}</fieldset>`;
	}
	const attributes = markup` id="${id}" name="${id}"${state}${field.isRequired ? markup` required` : ''}`;
	const input = inputOf(field, attributes, texts[0] ?? '');
	return markup`<div class="field"><label for="${id}">${name}</label>${input}${wrong}</div>`;
}

/** Browsers cannot require one of several checkboxes. */
function boxOf({ type, isRequired }: FormField, name: string, choice: string, isChosen: boolean): Html {
	const checked = isChosen ? markup` checked` : '';
	const required = type === 'radio' && isRequired ? markup` required` : '';
	const box = markup`<input type="${type}" name="${name}" value="${choice}"${checked}${required}>`;
	return markup`<label class="choice">${box} ${choice}</label>`;
}

function inputOf({ type, choices, placeholder = '' }: FormField, attributes: Html, text: string): Html {
	if (type === 'dropdown') {
		const options = choices.map(
			(choice) =>
				markup`<option value="${choice}"${choice === text ? markup` selected` : ''}>${choice}</option>`,
		);
		return markup`<select${attributes}><option value=""></option>${options}</select>`;
	}
	const hint = markup` placeholder="${placeholder}"`;
	// A browser drops the line break that a text area begins with.
	if (type === 'textarea') return markup`<textarea rows="4"${attributes}${hint}>\n${text}</textarea>`;
	const step = type === 'number' ? markup` step="any"` : '';
	return markup`<input type="${type}"${step} value="${text}"${attributes}${hint}>`;
}
