import { NodeOperationError, type IDataObject, type INode, type INodeExecutionData } from 'n8n-workflow';

import { UnreadableField } from '../../api/unreadable';
import { clock } from '../account/clock';
import type { TriggerState } from './state';

/**
 * The item of an execution that only reports what is not understood of what the service sends. It has no `event_id`, so no
 * event looks like it.
 *
 * @returns undefined if such an execution was started in the last hour
 */
export function unreadableItem(
	{ unreadable }: Pick<TriggerState, 'unreadable'>,
	{ field, kind }: UnreadableField,
): INodeExecutionData | undefined {
	const isDue = unreadable.add(clock.elapsed(), true) !== undefined;
	return isDue ? { json: { unreadable_field: field, kind } } : undefined;
}

/** The error of an execution that was started with such an item; undefined for any other item. */
export function unreadableError(node: INode, json: IDataObject | undefined): NodeOperationError | undefined {
	const { event_id, unreadable_field: field, kind } = json ?? {};
	if (event_id !== undefined || typeof field !== 'string' || typeof kind !== 'string') return undefined;
	const { message, description } = new UnreadableField(field, kind);
	return new NodeOperationError(node, message, {
		description: `Messages that have it do not start this workflow. All others do. ${description} This message appears at most once an hour.`,
	});
}
