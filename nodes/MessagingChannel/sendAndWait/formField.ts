import { InvalidInput, shown } from '../operation/input';

export const FIELD_TYPES = [
	'checkbox',
	'date',
	'dropdown',
	'email',
	'number',
	'radio',
	'text',
	'textarea',
] as const;

export type FieldType = (typeof FIELD_TYPES)[number];

/** One field of a form. */
export interface FormField {
	/** What the field is called on the page and in the answer. */
	label: string;
	type: FieldType;
	isRequired: boolean;
	placeholder?: string;
	/** What can be chosen; empty for fields to write in. */
	choices: string[];
}

/** A field as the panel gives it, by n8n's own names. */
interface EnteredField {
	fieldLabel: string;
	fieldType: FieldType;
	requiredField?: boolean;
	placeholder?: string;
	fieldOptions?: Array<{ option?: string }>;
}

/** The answer's own field, which says when it was given. */
export const ANSWERED_AT = 'respondedAt';

const WITH_CHOICES: readonly FieldType[] = ['checkbox', 'dropdown', 'radio'];

/**
 * The fields of a form. Their labels become the names in the answer, so no two may be the same.
 *
 * @throws InvalidInput when the form cannot be shown, or an answer to it could not be told apart
 */
export function formFieldsOf(entered: EnteredField[]): FormField[] {
	if (entered.length === 0) throw new InvalidInput('is empty', 'Add at least one field.');
	const fields = entered.map(formFieldOf);
	const labels = fields.map(({ label }) => label);
	const taken = labels.find((label, index) => label === ANSWERED_AT || labels.indexOf(label) !== index);
	if (taken === undefined) return fields;
	throw new InvalidInput(
		`has a label that is already in use: ${shown(taken)}`,
		`Give each field a unique label. '${ANSWERED_AT}' is reserved for the time of the response.`,
	);
}

function formFieldOf({
	fieldLabel,
	fieldType,
	requiredField = false,
	placeholder,
	fieldOptions = [],
}: EnteredField): FormField {
	const label = fieldLabel.trim();
	const options = fieldOptions.flatMap(({ option = '' }) => option.trim() || []);
	const choices = WITH_CHOICES.includes(fieldType) ? [...new Set(options)] : [];
	if (choices.length === 0 && WITH_CHOICES.includes(fieldType)) {
		throw new InvalidInput(`has no options for ${shown(label)}`, 'Add at least one option to this field.');
	}
	return { label, type: fieldType, isRequired: requiredField, placeholder, choices };
}
