import { fieldName, textsIn, type Submitted } from './parseForm';
import type { FormField } from './formField';
import { markup, pageOf, type Html, type Part } from './html';
import { textsOf, type PageOptions } from './pageTexts';
import type { Approval, Form, Question } from './question';

/** A rejected form, to be shown again with its errors. */
export interface Attempt {
	submitted: Submitted;
	/** The error texts, by field index. */
	errors: Map<number, string>;
}

/** The field of the button that was pressed on a page with both. */
export const APPROVED_FIELD = 'approved';

const NO_ATTEMPT: Attempt = { submitted: {}, errors: new Map() };

/**
 * The page behind a link in the message. Opening it changes nothing, because chat apps and mail scanners fetch links too.
 * Only the button answers.
 *
 * @param isApproved whether the approve link was opened; used for approvals only
 * @param attempt the previous submission, if it had errors
 */
export function questionPage(question: Question, isApproved: boolean, attempt = NO_ATTEMPT): string {
	const { reply, inChat } = question;
	if (reply.type !== 'approval') return formPage(question, reply, attempt);
	return inChat ? choicePage(question, reply) : confirmationPage(question, reply, isApproved);
}

/** The page of a question that can be answered only in the chat, because some people's answers do not count. */
export function chatOnlyPage(question: Question): string {
	const { message, language } = question;
	const { chatOnlyLinkText, chatOnlyText } = textsOf(question);
	return pageOf(chatOnlyLinkText, markup`<p class="message">${message}</p><p>${chatOnlyText}</p>`, language);
}

/**
 * The page after an accepted answer.
 *
 * @param button the text of the button that was pressed; for approvals only
 */
export function thanksPage(question: PageOptions, button?: string): string {
	const { answeredText, thanksTitle, thanksText } = textsOf(question);
	const answer = button === undefined ? '' : markup`<p class="answer">${answeredText} ${button}</p>`;
	return pageOf(thanksTitle, markup`${answer}<p>${thanksText}</p>`, question.language);
}

/** The page of a question that is already answered or expired; undefined if n8n does not have it any more. */
export function closedPage(question?: PageOptions): string {
	const { closedTitle, closedText } = textsOf(question);
	return pageOf(closedTitle, markup`<p>${closedText}</p>`, question?.language);
}

function confirmationPage(question: Question, { approve, decline }: Approval, isApproved: boolean): string {
	const { message, language } = question;
	const content = form(markup`<p class="message">${message}</p>`, isApproved ? approve : decline);
	return pageOf(textsOf(question).confirmationTitle, content, language);
}

/** One link leads to both buttons of an approval that can also be answered in the chat. */
function choicePage(question: Question, { approve, decline }: Approval): string {
	const { message, language } = question;
	const button = (value: string, label: string) =>
		markup`<p><button type="submit" name="${APPROVED_FIELD}" value="${value}">${label}</button></p>`;
	const buttons = [button('true', approve), decline === undefined ? '' : button('false', decline)];
	const content = formElement([markup`<p class="message">${message}</p>`, ...buttons]);
	return pageOf(textsOf(question).confirmationTitle, content, language);
}

function formPage(
	question: Question,
	{ title, description, fields, button }: Form,
	{ submitted, errors }: Attempt,
): string {
	const { message, language } = question;
	const warning = markup`<p class="wrong" role="alert">${textsOf(question).checkFieldsText}</p>`;
	const inputs = fields.map((field, index) =>
		fieldOf(field, index, textsIn(submitted, index), errors.get(index)),
	);
	const content = [
		markup`<p class="message">${description || message}</p>`,
		errors.size > 0 ? warning : '',
		...inputs,
	];
	return pageOf(title, form(content, button), language);
}

/** n8n reads forms only as multipart. A form without `action` posts to the URL of the page, which is signed. */
function form(content: Part, button: Part): Html {
	return formElement([content, markup`<button type="submit">${button}</button>`]);
}

function formElement(content: Part): Html {
	return markup`<form method="post" enctype="multipart/form-data">${content}</form>`;
}

function fieldOf(field: FormField, index: number, texts: string[], error?: string): Html {
	const id = fieldName(index);
	const hasError = error !== undefined;
	const name = markup`${field.label}${field.isRequired ? markup` <span aria-hidden="true">*</span>` : ''}`;
	const errorText = hasError ? markup`<p class="wrong" id="${id}-wrong">${error}</p>` : '';
	const aria = hasError ? markup` aria-invalid="true" aria-describedby="${id}-wrong"` : '';
	if (field.type === 'checkbox' || field.type === 'radio') {
		const boxes = field.choices.map((choice) => boxOf(field, id, choice, texts.includes(choice)));
		return markup`<fieldset class="field"${aria}><legend>${name}</legend>${boxes}${errorText}</fieldset>`;
	}
	const attributes = markup` id="${id}" name="${id}"${aria}${field.isRequired ? markup` required` : ''}`;
	const input = inputOf(field, attributes, texts[0]);
	return markup`<div class="field"><label for="${id}">${name}</label>${input}${errorText}</div>`;
}

/** HTML has no `required` for a group of checkboxes, so only the server checks these. */
function boxOf({ type, isRequired }: FormField, name: string, choice: string, isChosen: boolean): Html {
	const checked = isChosen ? markup` checked` : '';
	const required = type === 'radio' && isRequired ? markup` required` : '';
	const box = markup`<input type="${type}" name="${name}" value="${choice}"${checked}${required}>`;
	return markup`<label class="choice">${box} ${choice}</label>`;
}

function inputOf({ type, choices, placeholder }: FormField, attributes: Html, text?: string): Html {
	if (type === 'dropdown') {
		const options = choices.map(
			(choice) =>
				markup`<option value="${choice}"${choice === text ? markup` selected` : ''}>${choice}</option>`,
		);
		return markup`<select${attributes}><option value=""></option>${options}</select>`;
	}
	const hint = markup` placeholder="${placeholder}"`;
	// Browsers drop the first line break in a textarea, so this one protects a line break in the text.
	if (type === 'textarea') return markup`<textarea rows="4"${attributes}${hint}>\n${text}</textarea>`;
	const step = type === 'number' ? markup` step="any"` : '';
	return markup`<input type="${type}"${step} value="${text}"${attributes}${hint}>`;
}
