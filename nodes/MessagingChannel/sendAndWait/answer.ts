import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import type { FormField } from './formField';

/** What a browser sent for the fields of a form: `field-0` and so on, each one text or several. */
export type Submitted = Record<string, unknown>;

/** What was filled in, or what has to be changed first. */
export type Filled =
	| { values: IDataObject }
	| {
			/** By the position of the field. */
			errors: Map<number, string>;
	  };

/** The name of a field on the page, by its position. */
export const fieldName = (index: number): string => `field-${index}`;

/**
 * Reads a filled-in form. The page asks browsers to check it, but anybody who has the link can send anything.
 *
 * @returns the values by the fields' labels, with null for what was left empty
 */
export function filledIn(fields: FormField[], submitted: Submitted): Filled {
	const errors = new Map<number, string>();
	const values = fields.map((field, index): [string, IDataObject[string]] => {
		const texts = textsIn(submitted, index);
		const error = complaintAbout(field, texts);
		if (error !== undefined) errors.set(index, error);
		return [field.label, valueOf(field, texts)];
	});
	return errors.size > 0 ? { errors } : { values: Object.fromEntries(values) };
}

/** The texts that were sent for a field, without empty ones. */
export function textsIn(submitted: Submitted, index: number): string[] {
	const sent = submitted[fieldName(index)];
	return (
		[sent]
			.flat()
			.filter((text): text is string => typeof text === 'string')
			// Forms send line breaks as two characters.
			.map((text) => text.replace(/\r\n?/g, '\n').trim())
			.filter((text) => text !== '')
	);
}

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

function complaintAbout({ type, isRequired, choices }: FormField, texts: string[]): string | undefined {
	const [text] = texts;
	if (text === undefined) return isRequired ? 'Fill in this field.' : undefined;
	if (type !== 'checkbox' && texts.length > 1) return 'Give only one answer.';
	switch (type) {
		case 'checkbox':
		case 'dropdown':
		case 'radio':
			return texts.every((chosen) => choices.includes(chosen)) ? undefined : 'Choose from the list.';
		case 'number':
			return NUMBER.test(text) && Number.isFinite(Number(text)) ? undefined : 'Enter a number.';
		case 'email':
			return EMAIL.test(text) ? undefined : 'Enter an email address, e.g. ada@example.com.';
		case 'date':
			return isDate(text) ? undefined : 'Enter a date, e.g. 2030-01-31.';
		default:
			return undefined;
	}
}

/** Browsers send dates in this form, however they show them. */
function isDate(text: string): boolean {
	return DateTime.fromFormat(text, 'yyyy-MM-dd').isValid;
}

function valueOf({ type }: FormField, texts: string[]): IDataObject[string] {
	const [text = null] = texts;
	if (type === 'checkbox') return texts.length > 0 ? texts : null;
	return type === 'number' && text !== null ? Number(text) : text;
}
