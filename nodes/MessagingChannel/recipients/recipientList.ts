import groupBy from 'lodash/groupBy';

import { cleaned, numberWithCountryCode } from './phoneNumber';
import { compareRecipients, isChatId, LAST_DIGITS, localPartOf, phoneIn, recipientKey } from './recipient';

/** The ID of a group without the suffix of the channel. It is longer than any phone number. */
const GROUP_ID = /^\d[\d-]{15,}$/;

/**
 * An entry of a list of recipients.
 *
 * @param entered a phone number with its country code, in any notation, or a chat id
 * @returns undefined if it does not say for certain who is meant
 */
export function listedRecipient(entered: string): string | undefined {
	const id = cleaned(entered);
	if (isChatId(id) || GROUP_ID.test(id)) return id;
	// A spreadsheet has calculated it.
	return /^[-\u2212]/.test(id) ? undefined : numberWithCountryCode(id);
}

/**
 * Creates a function that tells whether a recipient is one of those in a list. Whoever may be one of them, but is not for certain, is
 * none.
 */
export function listOfRecipients(entries: readonly string[]): (recipient: string) => boolean {
	const byEnding = groupBy(entries, endingOf);
	return (recipient) =>
		isReadAlike(recipient) &&
		(byEnding[endingOf(recipient)] ?? []).some((entry) => compareRecipients(recipient, entry) === 'same');
}

/** Whether the service, which gets an ID as it is, cannot find other digits in it, as of decimals. */
function isReadAlike(recipient: string): boolean {
	const phone = phoneIn(recipient);
	return phone === undefined || localPartOf(recipient).replace(/\D/g, '').endsWith(phone);
}

/** What all forms of a recipient end with. */
export function endingOf(recipient: string): string {
	return recipientKey(recipient).slice(-LAST_DIGITS);
}
