import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { splitList } from '../api/values';
import { listedRecipient } from '../recipients/recipientList';

/**
 * The only recipients that a credential allows. An entry that does not say for certain who is meant allows nobody.
 *
 * @returns undefined if it allows everybody, because the field is empty or the credential is older than the field
 */
export function allowedRecipientsIn(data: ICredentialDataDecryptedObject): string[] | undefined {
	return entriesIn(data)?.flatMap((entry) => listedRecipient(entry) ?? []);
}

/** What is wrong with the list in a credential; undefined if nothing is. */
export function problemOfAllowed(data: ICredentialDataDecryptedObject): string | undefined {
	const entry = entriesIn(data)?.find((each) => listedRecipient(each) === undefined);
	if (entry === undefined) return undefined;
	return `'Allowed Recipients' has an entry that is neither a phone number with its country code nor a chat ID: '${entry}'`;
}

function entriesIn({
	allowedRecipients: entered = '',
}: ICredentialDataDecryptedObject): string[] | undefined {
	// Whatever n8n or another program stored there, it is a list.
	const text = typeof entered === 'string' ? entered : JSON.stringify(entered);
	return text.trim() === '' ? undefined : splitList(text);
}
