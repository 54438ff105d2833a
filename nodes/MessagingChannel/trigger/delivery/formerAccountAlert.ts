import { NodeOperationError, type IDataObject, type INode, type INodeExecutionData } from 'n8n-workflow';

/** What happened. */
export const FORMER_ACCOUNT =
	'The API key in the credential belongs to another account now, and the account before still sends its events to this workflow, where they are rejected';

/** What to do about it. */
export const adviceFor = (accountId: string) =>
	`The account before is '${accountId}'. Only its API key can stop that: run Webhook > Delete once with a credential that has the old key.`;

/** The item of an execution that only reports it. It has no `event_id`, so no event looks like it. */
export function formerAccountItem(accountId: string): INodeExecutionData {
	return { json: { former_account: accountId } };
}

/** The error of an execution that was started with such an item; undefined for any other item. */
export function formerAccountError(
	node: INode,
	json: IDataObject | undefined,
): NodeOperationError | undefined {
	if (json?.event_id !== undefined || typeof json?.former_account !== 'string') return undefined;
	return new NodeOperationError(node, FORMER_ACCOUNT, {
		description: `${adviceFor(json.former_account)} Then unpublish this workflow, and publish it. This message appears at most once an hour until then.`,
	});
}
