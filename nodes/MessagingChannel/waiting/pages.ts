import { fieldName, textsIn, type Submitted } from './answer';
import type { FormField } from './formFields';
import { html, pageOf, type Html } from './html';
import type { Approval, Form, Question } from './question';

/** What somebody filled in, and what is wrong with it. */
export interface Attempt {
	submitted: Submitted;
	/** By the position of the field. */
	complaints: Map<number, string>;
}

const NO_ATTEMPT: Attempt = { submitted: {}, complaints: new Map() };

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
	return pageOf('Thank you', html`<p>Your answer has arrived. You can close this page.</p>`);
}

/** There is nothing to answer any more. */
export function closedPage(): string {
	return pageOf('Already answered', html`<p>This question is closed, and there is nothing left to do.</p>`);
}

function confirmationPage(message: string, { approve, decline = '' }: Approval, isApproved: boolean): string {
	return pageOf(
		'Confirm your answer',
		form(html`<p class="message">${message}</p>`, isApproved ? approve : decline),
	);
}

function formPage(
	message: string,
	{ title, description, fields, button }: Form,
	{ submitted, complaints }: Attempt,
): string {
	const warning =
		complaints.size === 0 ? html`` : html`<p class="wrong" role="alert">Look at the marked fields again.</p>`;
	const inputs = fields.map((field, index) =>
		fieldOf(field, index, textsIn(submitted, index), complaints.get(index)),
	);
	return pageOf(
		title,
		form(
			html`<p class="message">${description || message}</p>
				${warning}${inputs}`,
			button,
		),
	);
}

/** n8n takes a form only as multipart. Without an action, it goes to the page's own address, which is signed. */
function form(content: Html, button: string): Html {
	return html`<form method="post" enctype="multipart/form-data">
		${content}
		<button type="submit">${button}</button>
	</form>`;
}

function fieldOf(field: FormField, index: number, texts: string[], complaint?: string): Html {
	const id = fieldName(index);
	const mark = field.isRequired ? html` <span aria-hidden="true">*</span>` : html``;
	const wrong = complaint === undefined ? html`` : html`<p class="wrong" id="${id}-wrong">${complaint}</p>`;
	const state = complaint === undefined ? html`` : html` aria-invalid="true" aria-describedby="${id}-wrong"`;
	if (field.type === 'checkbox' || field.type === 'radio') {
		const choices = field.choices.map(
			(choice) =>
				html`<label class="choice"
					><input
						type="${field.type}"
						name="${id}"
						value="${choice}"
						${
							texts.includes(choice) ? html` checked` : html``
						}${field.type === 'radio' && field.isRequired ? html` required` : html``}
					/>
					${choice}</label
				>`,
		);
		return html`<fieldset class="field" ${state}>
			<legend>${field.label}${mark}</legend>
			${choices}${wrong}
		</fieldset>`;
	}
	return html`<div class="field">
		<label for="${id}">${field.label}${mark}</label>${inputOf(
			field,
			id,
			texts[0] ?? '',
			html`${state}${field.isRequired ? html` required` : html``}`,
		)}${wrong}
	</div>`;
}

function inputOf(
	{ type, choices, placeholder = '' }: FormField,
	id: string,
	text: string,
	attributes: Html,
): Html {
	switch (type) {
		case 'textarea':
			// A browser drops the first line break.
			return html`<textarea id="${id}" name="${id}" rows="4" placeholder="${placeholder}" ${attributes}>
${text}</textarea>`;
		case 'dropdown': {
			const options = choices.map(
				(choice) => html`<option${choice === text ? html` selected` : html``}>${choice}</option>`,
			);
			return html`<select id="${id}" name="${id}" ${attributes}>
				<option value=""></option>
				${options}
			</select>`;
		}
		default:
			return html`<input
				id="${id}"
				name="${id}"
				type="${type}"
				${type === 'number' ? html` step="any"` : html``}
				placeholder="${placeholder}"
				value="${text}"
				${attributes}
			/>`;
	}
}
