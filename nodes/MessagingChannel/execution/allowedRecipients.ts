import memoize from 'lodash/memoize';

import { InvalidInput, shown } from '../operation/input';
import type { Operation } from '../operation/operation';
import { listOfRecipients } from '../recipients/recipientList';
import type { Entry, Task } from './task';

const CODE = 'recipient_not_allowed';

/**
 * Fails the tasks that could reach somebody who is not allowed, before any of them is run. A request that several items share is
 * refused whole.
 *
 * @param limited the tasks that have a list
 */
export function onlyAllowed(
	operation: Operation,
	entries: readonly Entry[],
	limited: readonly Task[],
): readonly Entry[] {
	const checked = [...entries];
	// All items share the list in the credential, which can be long.
	const allowing = memoize(listOfRecipients);
	for (const task of limited) {
		const error = refusalOf(operation, task, allowing);
		if (!error) continue;
		const to = task.request.parameters?.to;
		for (const { item } of [task.pairedItem].flat()) checked[item] = { result: { error, to } };
	}
	return checked;
}

/** Why a task must not be run. No error names a recipient who is allowed, because the model of an agent reads it. */
function refusalOf(
	operation: Operation,
	{ request, allowedLists }: Task,
	allowing: typeof listOfRecipients,
): InvalidInput | undefined {
	const { endpoint, bodyFields = {}, parameters = {} } = request;
	if (endpoint.method === 'GET' || endpoint.method === 'DELETE') return undefined;
	// A path can be that of a send.
	if (endpoint.corrected) return correctionError('Endpoint Path');
	if (!isAddressed(operation)) return undefined;
	if (Object.keys(bodyFields).length > 0) return correctionError('Body Fields');
	const label = parameters.recipients === undefined ? 'To' : 'Recipients';
	const recipients = [parameters.to, parameters.recipients].flat().filter((each) => each !== undefined);
	if (recipients.length === 0) return unknownRecipientError();
	for (const { allowed, place } of allowedLists) {
		const isAllowed = allowing(allowed);
		const other = recipients.map(String).find((recipient) => !isAllowed(recipient));
		if (other !== undefined) return notAllowedError(label, other, allowed.length === 0, place);
	}
	return undefined;
}

/** Whether an operation sends to recipients, or changes them. */
function isAddressed({ endpoint, updateFields = [] }: Operation): boolean {
	return endpoint.sends !== undefined || updateFields.some(({ name }) => name === 'to');
}

function notAllowedError(label: string, recipient: string, isNobody: boolean, place: string): InvalidInput {
	return new InvalidInput(
		`${label === 'To' ? 'is' : 'has somebody who is'} not among the allowed recipients: ${shown(recipient)}`,
		isNobody
			? `Nothing was sent: the list of allowed recipients ${place} is empty, or its expression gives nothing, so it allows nobody.`
			: `Nothing was sent. Check the recipient. Only whoever manages this workflow can allow others, in the list of allowed recipients ${place}.`,
		label,
		CODE,
	);
}

function correctionError(displayName: string): InvalidInput {
	return new InvalidInput(
		'cannot be used with a list of allowed recipients, because it can name others',
		"Nothing was sent. Remove this option, or the list under 'Options' and in the credential.",
		displayName,
		CODE,
	);
}

function unknownRecipientError(): InvalidInput {
	return new InvalidInput(
		'is missing, so it is not known whether the recipient is allowed',
		"Nothing was changed. Add 'To' under 'Update Fields'.",
		'To',
		CODE,
	);
}
