import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { isExact, trimmedTexts } from '../api/values';
import { withLineFeeds, type FormField } from './formField';
import type { PageTexts } from './pageTexts';

/** The submitted form data: `field-0`, `field-1` and so on, each with one text or several. */
export type Submitted = Record<string, unknown>;

/** The values of a valid form, or the errors of an invalid one. */
export type ParsedForm =
	| { values: IDataObject }
	| {
			/** The error texts, by field index. */
			errors: Map<number, string>;
	  };

/** The name of a field in the HTML form, by field index. */
export const fieldName = (index: number): string => `field-${index}`;

/**
 * Parses and validates a submitted form. The browser's checks are not enough, because anybody with the link can send any
 * data.
 *
 * @param errorTexts what to say about a value that is missing or wrong
 * @returns the values by field label, with null for an empty field; or the errors
 */
export function parseForm(fields: FormField[], submitted: Submitted, errorTexts: PageTexts): ParsedForm {
	const errors = new Map<number, string>();
	const values = fields.map((field, index): [string, IDataObject[string]] => {
		const texts = textsIn(submitted, index);
		const error = fieldError(field, texts, errorTexts);
		if (error !== undefined) errors.set(index, error);
		return [field.label, valueOf(field, texts)];
	});
	return errors.size > 0 ? { errors } : { values: Object.fromEntries(values) };
}

/** The non-empty texts that were submitted for a field. */
export function textsIn(submitted: Submitted, index: number): string[] {
	const sent = submitted[fieldName(index)];
	const texts = [sent].flat().filter((text): text is string => typeof text === 'string');
	// Browsers submit line breaks as CRLF.
	return trimmedTexts(texts.map(withLineFeeds));
}

const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

function fieldError(
	{ type, isRequired, choices }: FormField,
	texts: string[],
	errorTexts: PageTexts,
): string | undefined {
	const [text] = texts;
	if (text === undefined) return isRequired ? errorTexts.requiredText : undefined;
	if (type !== 'checkbox' && texts.length > 1) return errorTexts.oneAnswerText;
	switch (type) {
		case 'checkbox':
		case 'dropdown':
		case 'radio':
			return texts.every((chosen) => choices.includes(chosen)) ? undefined : errorTexts.choiceText;
		case 'number':
			return numberIn(text) === undefined ? errorTexts.numberText : undefined;
		case 'email':
			return EMAIL.test(text) ? undefined : errorTexts.emailText;
		case 'date':
			return dateIn(text) === undefined ? errorTexts.dateText : undefined;
	}
	return undefined;
}

/** A comma before one or two digits cannot separate thousands. */
function numberIn(text: string): number | undefined {
	const written = text.replace(/^([-+]?\d+),(\d{1,2})$/, '$1.$2');
	return NUMBER.test(written) && isExact(Number(written)) ? Number(written) : undefined;
}

/** Browsers submit dates in the first format, however they display them. With dots, as in a chat, the day comes first. */
const DATE_FORMATS = ['yyyy-MM-dd', 'd.M.yyyy'];

function dateIn(text: string): string | undefined {
	const dates = DATE_FORMATS.map((format) => DateTime.fromFormat(text, format));
	return dates.find(({ isValid }) => isValid)?.toISODate() ?? undefined;
}

function valueOf({ type }: FormField, texts: string[]): IDataObject[string] {
	const [text = null] = texts;
	if (type === 'checkbox') return texts.length > 0 ? texts : null;
	if (text === null) return null;
	return type === 'number' ? numberIn(text) : type === 'date' ? dateIn(text) : text;
}
