import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { ApiRequest, Endpoint, Parameters } from '../api/apiRequest';
import type { ResponseBody } from '../api/records';
import type { Pagination } from '../api/pagination';
import type { Input } from './input';

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

/** The collections in which n8n nodes keep optional fields. */
export type CollectionName = 'filters' | 'additionalFields' | 'updateFields' | 'options';

/** How one request is made of all input items. */
export interface AllItems {
	/** Whether the user wants that, instead of a request for each item. */
	isWanted: (input: Input) => boolean;
	/** The list that every item adds to, by the API's name in camelCase. */
	list: string;
	/** What remains of the whole list. */
	distinct: (list: string[]) => string[];
	/** Other parameters that may differ between the items; those of the first item are taken. */
	mayDiffer: readonly string[];
	/** What to do when anything else differs. */
	advice: string;
}

/**
 * Prepares a request that somebody is to answer, before it goes out.
 *
 * @param now Unix time in milliseconds
 * @throws InvalidInput when the answer could not be waited for
 */
export type Interaction = (
	context: IExecuteFunctions,
	input: Input,
	request: ApiRequest,
	now: number,
) => PreparedInteraction;

/** A request that somebody is to answer. */
export interface PreparedInteraction {
	/** The request with the links that lead to this execution. */
	request: ApiRequest;
	/**
	 * Lets the execution wait, once the request was made.
	 *
	 * @param now Unix time in milliseconds
	 */
	wait(now: number): Promise<void>;
}

/** One operation: its words, its call, and its fields. All else follows from these. */
export interface Operation extends Partial<Record<CollectionName, readonly Field[]>> {
	/** What saved workflows store. Never changes. */
	value: string;
	name: string;
	action: string;
	description: string;
	endpoint: Endpoint;
	/** A word to the user above the fields. */
	notice?: string;
	/** The required fields and those that stand beside them. */
	fields?: readonly Field[];
	/** Makes it a Get Many with Return All and Limit. */
	pagination?: Pagination;
	/** Set where all input items can share one request. */
	allItems?: AllItems;
	/**
	 * The request, where it is not simply the call with the parameters.
	 *
	 * @throws InvalidInput when the values do not go together
	 */
	request?: (input: Input) => Omit<ApiRequest, 'endpoint'> & { endpoint?: Endpoint };
	/** The records to put out, where they are not simply those of the answer. */
	output?: (answer: ResponseBody) => IDataObject[];
	/** Set when the workflow waits for somebody's answer to the request. */
	interaction?: Interaction;
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

/** The output of a delete, whatever the service answers. */
export function deleted(): IDataObject[] {
	return [{ deleted: true }];
}
