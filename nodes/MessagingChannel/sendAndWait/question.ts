import type { Input } from '../operation/input';
import type { WaitLimit } from './deadline';
import type { FormField } from './formField';
import { DEFAULT_TEXTS, textsOf, type FormText, type PageOptions, type PageTexts } from './pageTexts';

/** An approval, with an optional decline. Each has its own link. */
export interface Approval {
	type: 'approval';
	approve: string;
	/** Undefined if the message has only an approve link. */
	decline?: string;
}

/** A form to fill in on a page. */
export interface Form {
	type: 'freeText' | 'customForm';
	fields: FormField[];
	/** The label of the link in the message. */
	link: string;
	title: string;
	description: string;
	button: string;
}

/** What a question needs whose answer can be written in the chat. */
export interface InChat {
	/** Tells the question from other open questions of the chat. */
	code: string;
	/** The phone numbers of those whose answer counts, in digits; empty for everybody. */
	responders: string[];
}

/** A question in a message. Plain data, because n8n stores it with the waiting execution: its names must not change. */
export interface Question extends PageOptions {
	/** The text as entered, without the links. */
	message: string;
	reply: Approval | Form;
	isAttributed: boolean;
	limit?: WaitLimit;
	/** Set if the answer can be written in the chat. */
	inChat?: InChat;
}

/** Builds the question from the values of an item. */
export function questionOf({ parameters, settings }: Pick<Input, 'parameters' | 'settings'>): Question {
	const { appendAttribution = false, limitWaitTime, pageLanguage } = settings;
	const texts = settings.texts as Partial<PageTexts> | undefined;
	return {
		message: String(parameters.message),
		reply: settings.responseType === 'approval' ? approvalOf(settings) : formOf(settings, textsOf({ texts })),
		isAttributed: appendAttribution === true,
		...(limitWaitTime ? { limit: limitWaitTime as WaitLimit } : {}),
		...(texts ? { texts } : {}),
		...(pageLanguage ? { language: String(pageLanguage) } : {}),
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

function formOf(settings: Input['settings'], texts: PageTexts): Form {
	const isFreeText = settings.responseType === 'freeText';
	const label = texts.textFieldLabel;
	const textField: FormField = { label, type: 'textarea', isRequired: true, choices: [] };
	// A text that was entered counts more than what a workflow has saved as an option.
	const textOf = (name: FormText): string =>
		texts[name] === DEFAULT_TEXTS[name] ? String(settings[name] ?? texts[name]) : texts[name];
	return {
		type: isFreeText ? 'freeText' : 'customForm',
		fields: isFreeText ? [textField] : (settings.formFields as FormField[]),
		link: textOf('messageButtonLabel'),
		title: textOf('responseFormTitle'),
		description: textOf('responseFormDescription'),
		button: textOf('responseFormButtonLabel'),
	};
}
