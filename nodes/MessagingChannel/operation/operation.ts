import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ApiRequest, Call, Parameters } from '../api/call';
import type { Answer } from '../api/client';
import type { FilePart } from '../api/multipart';
import type { Paging } from '../api/pages';
import type { Question } from '../waiting/question';

/**
 * One input of an operation: what n8n shows, and what becomes of it in the call. Its `displayOptions` name only
 * neighbours in the same operation; when it shows otherwise follows from where it stands.
 */
export interface Field extends INodeProperties {
	/**
	 * The API's fields (in camelCase) that it fills; the one of its own name unless said otherwise. None means that the
	 * service never sees it: it is a setting of ours.
	 */
	api?: readonly string[];
	/** Takes several texts: an array, or one text with commas or line breaks between them. */
	list?: true;
	/**
	 * Turns the value into the API's fields, where they are not simply the value under the field's name. It gets what
	 * the field's type promises: text, a number, a boolean, a UTC date in ISO 8601, a Locator, an array of texts.
	 *
	 * @throws InvalidInput when the value cannot be sent
	 */
	toApi?: (value: never) => Parameters;
}

/** What a resource locator holds: how the user chose, and what. */
export interface Locator {
	/** Empty when an expression or an agent gave the bare value. */
	mode: string;
	value: string;
}

/** The collections in which n8n nodes keep optional fields. */
export type CollectionName = 'filters' | 'additionalFields' | 'updateFields' | 'options';

/** What the user entered for one item, checked. */
export interface Input {
	/** For the service, by the API's names in camelCase. */
	parameters: Parameters;
	/** For us, by the fields' names. */
	settings: Parameters;
	/**
	 * The file in a binary field of the item.
	 *
	 * @throws InvalidInput when the item has none there
	 */
	file: (binaryPropertyName: string) => FilePart;
}

/** One operation: its words, its call, and its fields. All else follows from these. */
export interface Operation extends Partial<Record<CollectionName, readonly Field[]>> {
	/** What saved workflows store. Never changes. */
	value: string;
	name: string;
	action: string;
	description: string;
	call: Call;
	/** A word to the user above the fields. */
	notice?: string;
	/** The required fields and those that stand beside them. */
	fields?: readonly Field[];
	/** Makes it a Get Many with Return All and Limit. */
	paging?: Paging;
	/**
	 * The request, where it is not simply the call with the parameters.
	 *
	 * @throws InvalidInput when the values do not go together
	 */
	request?: (input: Input) => Omit<ApiRequest, 'call'> & { call?: Call };
	/** The records to put out, where they are not simply those of the answer. */
	output?: (answer: Answer) => IDataObject[];
	/**
	 * What its message asks somebody: the message gets links to answer, and the workflow waits until somebody does or
	 * the time is over.
	 */
	asks?: (input: Input) => Question;
	/** Whether the answer is a file, to be put out as binary data. */
	download?: (input: Input) => boolean;
}

/** A group of operations, as in the Resource selector. */
export interface Resource {
	/** What saved workflows store. Never changes. */
	value: string;
	name: string;
	operations: readonly Operation[];
}

/** A value that cannot be sent, found before anything was. The field's name is added by whoever read the value. */
export class InvalidInput extends Error {
	constructor(
		/** Continues a sentence that begins with the field's name, e.g. "is empty". */
		readonly problem: string,
		/** What to enter instead. */
		readonly advice: string,
		/** The field's label, when the value was not found in reading one field. */
		readonly displayName?: string,
	) {
		super(problem);
		this.name = 'InvalidInput';
	}
}

/** The value as the user will recognise it, not longer than a line. */
export function shown(value: unknown): string {
	const text = typeof value === 'string' ? value : jsonOf(value);
	return `'${text.length > 80 ? `${text.slice(0, 80)}…` : text}'`;
}

function jsonOf(value: unknown): string {
	try {
		return JSON.stringify(value) ?? 'nothing';
	} catch {
		// It leads back to itself, or holds what JSON has no notation for.
		return 'an object';
	}
}

/** The output of a delete, whatever the service answers. */
export function deleted(): IDataObject[] {
	return [{ deleted: true }];
}
