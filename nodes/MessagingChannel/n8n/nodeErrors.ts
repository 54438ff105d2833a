import {
	ExpressionError,
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type JsonObject,
} from 'n8n-workflow';

import { ApiError, messageOf, stopReasonOr } from '../api/errors';
import { InvalidInput } from '../operation/input';

/** The fields of a failed item, which workflows read. */
interface FailureFields {
	error: string;
	code: string;
	httpStatus: number | null;
	description: string;
	ambiguous?: true;
}

function failureFieldsOf(thrown: unknown): FailureFields {
	const error = stopReasonOr(thrown);
	if (error instanceof ApiError) {
		const { message, code, httpStatus, description, ambiguous } = error;
		return { error: message, code, httpStatus, description, ...(ambiguous ? { ambiguous } : {}) };
	}
	const failed = { error: messageOf(error), httpStatus: null };
	if (error instanceof InvalidInput) return { ...failed, code: error.code, description: error.description };
	if (error instanceof ExpressionError)
		return {
			...failed,
			code: 'validation_error',
			description: 'Check the expressions in the parameters of the node.',
		};
	return {
		...failed,
		code: 'unexpected_error',
		description: 'Run again. If it happens again, report it on the page of the package.',
	};
}

/** The error that stops the workflow. The panel shows its message, its description and the item. */
export function nodeErrorOf(
	node: INode,
	thrown: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	const error = stopReasonOr(thrown);
	const { error: message, code, httpStatus, description } = failureFieldsOf(error);
	const response: JsonObject = { message, error: code };
	const nodeError =
		error instanceof ApiError
			? new NodeApiError(node, response, {
					message,
					description,
					itemIndex,
					...(httpStatus === null ? {} : { httpCode: String(httpStatus) }),
				})
			: new NodeOperationError(node, message, { description, itemIndex });
	// n8n replaces a message that contains the code of a system error, also inside a word that the message quotes.
	return Object.assign(nodeError, { message });
}

/** The item that is output for a failed one with Continue On Fail. */
export function failedItem(error: unknown, itemIndex: number): INodeExecutionData {
	return { json: { ...failureFieldsOf(error) } as IDataObject, pairedItem: { item: itemIndex } };
}

/** Result flags that an earlier node of this package may have set, and that are wrong for an item that failed here. */
const RESULT_FLAGS = ['ambiguous', 'verified', 'already_sent', 'skipped'];

/**
 * Marks a failed item for the node's error output. n8n moves items with an `error` there, and replaces their JSON with the
 * message of the error. The property is not enumerable, so that copies lack it and keep their JSON. n8n also merges the input
 * item into the failed one, which therefore resets the result flags of the input.
 */
export function forErrorOutput(
	item: INodeExecutionData,
	error: NodeApiError | NodeOperationError,
	input: INodeExecutionData | undefined,
): INodeExecutionData {
	const flags = RESULT_FLAGS.filter((flag) => input?.json[flag] === true);
	const json = { ...Object.fromEntries(flags.map((flag) => [flag, false])), ...item.json };
	// Versions of n8n 1.x take it off again, which throws if it is read-only.
	return Object.defineProperty({ ...item, json }, 'error', { value: error, writable: true });
}
