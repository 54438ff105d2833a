import { InvalidInput, shown } from '../operation/input';

/** The types of a form field, named as in n8n's own forms. */
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
	/** The label on the page and the name in the answer. */
	label: string;
	type: FieldType;
	isRequired: boolean;
	placeholder?: string;
	/** The options to choose from; empty for other types. */
	choices: string[];
}

/** A field as entered in the panel, with n8n's own names. */
interface EnteredField {
	fieldLabel: string;
	fieldType: FieldType;
	requiredField?: boolean;
	placeholder?: string;
	fieldOptions?: Array<{ option?: string }>;
}

/** The name of the output field that holds the time of the answer. */
export const ANSWERED_AT = 'respondedAt';

/** The name of the output field that holds who answered in the chat. */
export const RESPONDED_BY = 'respondedBy';

const CHOICE_TYPES: readonly FieldType[] = ['checkbox', 'dropdown', 'radio'];

/**
 * The fields of a form. The labels become the names in the answer, so they must be unique.
 *
 * @throws InvalidInput if there is no field, a label is taken, or a field has no options to choose from
 */
export function formFieldsOf(entered: EnteredField[]): FormField[] {
	if (entered.length === 0) throw new InvalidInput('is empty', 'Add at least one field.');
	const fields = entered.map(formFieldOf);
	const labels = fields.map(({ label }) => label);
	const duplicate = labels.find((label, index) => label === ANSWERED_AT || labels.indexOf(label) !== index);
	if (duplicate === undefined) return fields;
	throw new InvalidInput(
		`has a label that is already in use: ${shown(duplicate)}`,
		`Give each field a unique label. '${ANSWERED_AT}' is reserved for the time of the response.`,
	);
}

/** A text with the line breaks of another system as browsers and this package write them. */
export function withLineFeeds(text: string): string {
	return text.replace(/\r\n?/g, '\n');
}

function formFieldOf({
	fieldLabel,
	fieldType,
	requiredField = false,
	placeholder,
	fieldOptions,
}: EnteredField): FormField {
	const label = fieldLabel.trim();
	const options = fieldOptions?.flatMap(({ option = '' }) => withLineFeeds(option).trim() || []);
	const choices = CHOICE_TYPES.includes(fieldType) ? [...new Set(options)] : [];
	if (choices.length === 0 && CHOICE_TYPES.includes(fieldType)) {
		throw new InvalidInput(`has no options for ${shown(label)}`, 'Add at least one option to this field.');
	}
	return { label, type: fieldType, isRequired: requiredField, placeholder, choices };
}
