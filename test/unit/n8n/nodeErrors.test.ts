import {
	ExpressionError,
	ManualExecutionCancelledError,
	NodeApiError,
	NodeOperationError,
	SystemShutdownExecutionCancelledError,
	TimeoutExecutionCancelledError,
	UserError,
	type INode,
} from 'n8n-workflow';

import { ApiError } from '../../../nodes/MessagingChannel/api/errors';
import { failedItem, forErrorOutput, nodeErrorOf } from '../../../nodes/MessagingChannel/n8n/nodeErrors';
import { InvalidInput } from '../../../nodes/MessagingChannel/operation/input';

const node: INode = {
	id: '1',
	name: 'Send',
	type: 'messagingChannel',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const apiError = (more: Partial<ConstructorParameters<typeof ApiError>[0]> = {}) =>
	new ApiError({ message: 'It broke', description: 'Mend it.', code: 'broken', httpStatus: 400, ...more });

const fieldError = new InvalidInput('is empty', 'Enter a value.', 'To');

describe('a failed item', () => {
	test.each([
		[
			'of the API',
			apiError(),
			{ error: 'It broke', code: 'broken', httpStatus: 400, description: 'Mend it.' },
		],
		[
			'that may have arrived',
			apiError({ ambiguous: true, httpStatus: null }),
			{ error: 'It broke', code: 'broken', httpStatus: null, description: 'Mend it.', ambiguous: true },
		],
		[
			'with a value that cannot be sent',
			fieldError,
			{ error: "'To' is empty", code: 'validation_error', httpStatus: null, description: 'Enter a value.' },
		],
		[
			'that n8n ended before it was begun',
			new DOMException('This operation was aborted', 'AbortError'),
			{
				error: 'The execution was stopped or reached its time limit',
				code: 'execution_stopped',
				httpStatus: null,
				description: 'Nothing was sent or changed for this item. Run the workflow again for what is missing.',
			},
		],
		[
			'of what nobody expected',
			new TypeError('x is not a function'),
			{
				error: 'x is not a function',
				code: 'unexpected_error',
				httpStatus: null,
				description: 'Run again. If it happens again, report it on the page of the package.',
			},
		],
	])('%s has exactly these fields, and points at its input', (_, error, json) => {
		expect(failedItem(error, 3)).toEqual({ json, pairedItem: { item: 3 } });
	});

	test.each<[error: Error, code: string]>([
		...[
			ManualExecutionCancelledError,
			TimeoutExecutionCancelledError,
			SystemShutdownExecutionCancelledError,
		].map((Cancelled): [Error, string] => [new Cancelled('1'), 'execution_stopped']),
		[new DOMException('The operation was aborted due to timeout', 'AbortError'), 'execution_stopped'],
		[new NodeOperationError(node, 'The file store has no credentials'), 'unexpected_error'],
		[new NodeApiError(node, { message: 'Forbidden' }), 'unexpected_error'],
		[new UserError('The credential of the file store has expired'), 'unexpected_error'],
		[new Error('The credential of the file store has expired'), 'unexpected_error'],
		[new ExpressionError('Referenced node does not exist'), 'validation_error'],
		[fieldError, 'validation_error'],
		[fieldError.in('Other'), 'validation_error'],
		[new InvalidInput('is lost', 'Run again.', undefined, 'storage_error').in('File'), 'storage_error'],
	])('of %p has the code %s, so that only a mistake in a field is called one', (error, code) => {
		expect(failedItem(error, 0).json).toMatchObject({ code, httpStatus: null });
	});

	test('can come from anything that was thrown', () => {
		expect(failedItem('text', 0).json.error).toBe('text');
	});

	test('goes to the error output, and a copy of it keeps all its fields', () => {
		const error = nodeErrorOf(node, fieldError, 3);
		const item = forErrorOutput(failedItem(fieldError, 3), error, { json: {} });
		expect(item.error).toBe(error);
		expect({ ...item }).toEqual(failedItem(fieldError, 3));
		expect({ ...item }).not.toHaveProperty('error');
	});

	test('does not repeat what its input item says of an earlier send', () => {
		const input = {
			json: { ambiguous: true, verified: true, already_sent: true, skipped: true, name: 'Ada' },
		};
		const item = forErrorOutput(failedItem(fieldError, 3), nodeErrorOf(node, fieldError, 3), input);
		expect({ ...input.json, ...item.json }).toMatchObject({
			error: "'To' is empty",
			ambiguous: false,
			verified: false,
			already_sent: false,
			skipped: false,
			name: 'Ada',
		});
	});

	test('that may have been sent says so, whatever its input item says', () => {
		const error = apiError({ ambiguous: true });
		const input = { json: { ambiguous: true } };
		const item = forErrorOutput(failedItem(error, 3), nodeErrorOf(node, error, 3), input);
		expect(item.json.ambiguous).toBe(true);
	});

	test('for the error output may lose its mark, which versions of n8n 1.x take off', () => {
		const error = apiError();
		const item = forErrorOutput(failedItem(error, 0), nodeErrorOf(node, error, 0), undefined);
		item.error = undefined;
		expect(item.error).toBeUndefined();
	});
});

describe('the error that stops the node', () => {
	// n8n has words of its own for some of them.
	test.each([400, 401, 429, 503, null])(
		'keeps our words and the code of the service for HTTP %j',
		(status) => {
			const error = nodeErrorOf(node, apiError({ httpStatus: status }), 2);
			expect(error).toBeInstanceOf(NodeApiError);
			expect(error).toMatchObject({
				message: 'It broke',
				description: 'Mend it.',
				httpCode: status === null ? null : String(status),
				context: { itemIndex: 2 },
				messages: ['It broke'],
				errorResponse: { message: 'It broke', error: 'broken' },
			});
		},
	);

	test('of an unknown field says so', () => {
		expect(new InvalidInput('is empty', 'Enter a value.').message).toBe("'A value' is empty");
	});

	test('of a value is one of the node, at its item', () => {
		const error = nodeErrorOf(node, fieldError, 1);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({
			message: "'To' is empty",
			description: 'Enter a value.',
			context: { itemIndex: 1 },
		});
	});
});
