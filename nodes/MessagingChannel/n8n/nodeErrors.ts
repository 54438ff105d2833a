import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type JsonObject,
} from 'n8n-workflow';

import { ApiError, messageOf } from '../api/errors';
import { InvalidInput } from '../operation/input';

interface Facts {
	error: string;
	code: string;
	httpStatus: number | null;
	description: string;
	ambiguous?: true;
}

function factsOf(error: unknown): Facts {
	if (error instanceof ApiError) {
		const { message, code, httpStatus, description, ambiguous } = error;
		return { error: message, code, httpStatus, description, ...(ambiguous ? { ambiguous } : {}) };
	}
	return {
		error: messageOf(error),
		code: 'validation_error',
		httpStatus: null,
		description: error instanceof InvalidInput ? error.advice : 'Check the values of the node.',
	};
}

/** The error that stops the workflow, for n8n's panel: what happened, what to do, and at which item. */
export function nodeErrorOf(
	node: INode,
	error: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	const { error: message, code, httpStatus, description } = factsOf(error);
	if (!(error instanceof ApiError)) {
		return new NodeOperationError(node, message, { description, itemIndex });
	}
	const answer: JsonObject = { message, error: code };
	return new NodeApiError(node, answer, {
		message,
		description,
		itemIndex,
		...(httpStatus === null ? {} : { httpCode: String(httpStatus) }),
	});
}

/** The item that Continue On Fail puts out in place of a result. */
export function failedItem(error: unknown, itemIndex: number): INodeExecutionData {
	return { json: { ...factsOf(error) } as IDataObject, pairedItem: { item: itemIndex } };
}

/** What an earlier node of ours may have put out, and what would be a lie about an item that failed here. */
const VERDICTS = ['ambiguous', 'verified', 'already_sent'];

/**
 * A failed item, marked for the node's error output. n8n takes an item with an `error` there, but would then put that
 * error's message in the place of all the item says, were `error` not left behind when the item is copied: so it is not
 * enumerable. n8n also adds what the input item says and the failed one does not.
 */
export function forErrorOutput(
	item: INodeExecutionData,
	error: NodeApiError | NodeOperationError,
	input: INodeExecutionData | undefined,
): INodeExecutionData {
	const withdrawn = VERDICTS.filter((verdict) => input?.json[verdict] === true);
	const json = { ...Object.fromEntries(withdrawn.map((verdict) => [verdict, false])), ...item.json };
	return Object.defineProperty({ ...item, json }, 'error', { value: error });
}
