import type { Input } from '../operation/input';
import type { WaitLimit } from './deadline';
import type { FormField } from './formField';

/** A yes, and perhaps a no: each has a link of its own. */
export interface Approval {
	type: 'approval';
	approve: string;
	/** Absent when there is only a yes. */
	decline?: string;
}

/** Fields to fill in on a page. */
export interface Form {
	type: 'freeText' | 'customForm';
	fields: FormField[];
	/** What the link to the page is called in the message. */
	link: string;
	title: string;
	description: string;
	button: string;
}

/** What somebody is asked in a message. Plain data, so that it can be kept with the execution that waits. */
export interface Question {
	/** The text as the user wrote it, without the links. */
	message: string;
	reply: Approval | Form;
	isAttributed: boolean;
	limit?: WaitLimit;
}

const FREE_TEXT: FormField = { label: 'Response', type: 'textarea', isRequired: true, choices: [] };

/** The question that the values of an item make. */
export function questionOf({ parameters, settings }: Pick<Input, 'parameters' | 'settings'>): Question {
	const { appendAttribution = true, limitWaitTime } = settings;
	return {
		message: String(parameters.message),
		reply: settings.responseType === 'approval' ? approvalOf(settings) : formOf(settings),
		isAttributed: appendAttribution === true,
		...(limitWaitTime ? { limit: limitWaitTime as WaitLimit } : {}),
	};
}

function approvalOf({ approvalOptions = {} }: Input['settings']): Approval {
	const { approvalType, approveLabel, disapproveLabel } = approvalOptions as Record<string, string>;
	return {
		type: 'approval',
		approve: approveLabel ?? 'Approve',
		...(approvalType === 'double' ? { decline: disapproveLabel ?? 'Decline' } : {}),
	};
}

function formOf(settings: Input['settings']): Form {
	const isFreeText = settings.responseType === 'freeText';
	const textOf = (name: string, otherwise: string): string => String(settings[name] ?? otherwise);
	return {
		type: isFreeText ? 'freeText' : 'customForm',
		fields: isFreeText ? [FREE_TEXT] : (settings.formFields as FormField[]),
		link: textOf('messageButtonLabel', 'Respond'),
		title: textOf('responseFormTitle', 'Your answer'),
		description: textOf('responseFormDescription', ''),
		button: textOf('responseFormButtonLabel', 'Submit'),
	};
}
