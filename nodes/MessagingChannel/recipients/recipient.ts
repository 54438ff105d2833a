import {
	completedWith,
	countryCodeIn,
	digitsOf,
	numberWithCountryCode,
	withoutOptionalDigits,
} from './phoneNumber';

/** Whether a text is a chat id: a phone number or a group, `@`, and the suffix of the channel. */
export function isChatId(entered: string): boolean {
	return /^[^\s@/]+@[^\s@/]+$/.test(entered) && !isEmailAddress(entered);
}

/** Whether a text is an email address: with a letter before the @, and a domain in place of the suffix of the channel. */
export function isEmailAddress(entered: string): boolean {
	return /@(?![cg]\.us$)[^@]*\./i.test(entered) && /\p{L}.*@/su.test(entered);
}

/** Whether a chat id is that of a person, but hides the phone number. Its digits mean nothing. */
export function isHiddenId(chat: string): boolean {
	return /@(hosted\.)?lid$/i.test(chat);
}

/** Whether a recipient is one person, and no group. */
export function isPerson(recipient: string): boolean {
	return phoneIn(recipient) !== undefined || isHiddenId(recipient);
}

/** Chats that are not with one person, or do not say with whom. */
const NO_NUMBER = /@(g\.us|(hosted\.)?lid|broadcast|newsletter)$/i;

/** What stands before the suffix of the channel, without the device after a colon. */
export function localPartOf(recipient: string): string {
	return recipient.replace(/(:\d+)?@.*/s, '');
}

/**
 * The digits of the phone number in a recipient (API spec, "Resources and their fields").
 *
 * @param recipient a phone number in any notation, or a chat id
 * @returns undefined for a group, and for any other ID that is no phone number
 */
export function phoneIn(recipient: string): string | undefined {
	if (NO_NUMBER.test(recipient)) return undefined;
	return digitsOf(localPartOf(recipient));
}

/**
 * The phone number that the service names beside an ID that hides it.
 *
 * @param chat the chat, as the service lists or delivers it
 */
export function numberBeside({ id, phone }: { id?: string; phone?: string }): string | undefined {
	if (id === undefined || phone === undefined || !isHiddenId(id)) return undefined;
	const number = phoneIn(phone);
	// Repeated, the digits of the ID are still no number.
	return number === localPartOf(id) ? undefined : number;
}

/**
 * The one name of a recipient for order, duplicates and stored sends: a phone number and the chat with that person are one, in any
 * notation. It depends on nothing but the recipient, so it never changes.
 */
export function recipientKey(recipient: string): string {
	const phone = phoneIn(recipient);
	if (phone !== undefined) return withoutOptionalDigits(phone);
	const id = recipient.replace(/:\d+(?=@)/, '');
	const group = id.replace(/@g\.us$/i, '');
	return digitsOf(group) === undefined ? group : id;
}

/**
 * Whether two recipients are one. `perhaps` if one of them does not say it: a number without its country code, or an ID that hides
 * the number. Whoever asks decides what `perhaps` means there.
 */
export type Sameness = 'same' | 'different' | 'perhaps';

/**
 * Compares two recipients.
 *
 * @param one a phone number in any notation, or a chat id. Digits that begin like no number of their country have no code, unless
 *   there is a + before them
 * @param other the same
 */
export function compareRecipients(one: string, other: string): Sameness {
	if (recipientKey(one) === recipientKey(other)) return 'same';
	const [first, second] = [phoneIn(one), phoneIn(other)];
	if (first !== undefined && second !== undefined) {
		if (first.slice(-LAST_DIGITS) !== second.slice(-LAST_DIGITS)) return 'different';
		const [full, otherFull] = [one, other].map((each) => numberWithCountryCode(localPartOf(each)));
		return compareNumbers({ digits: first, full }, { digits: second, full: otherFull });
	}
	const isPerhaps = (isHiddenId(one) && second !== undefined) || (isHiddenId(other) && first !== undefined);
	return isPerhaps ? 'perhaps' : 'different';
}

/** How many digits all forms of a number end with. */
export const LAST_DIGITS = 6;

interface Phone {
	digits: string;
	/** With its country code; undefined if it has none. */
	full: string | undefined;
}

function compareNumbers(one: Phone, other: Phone): Sameness {
	if (one.full !== undefined && other.full !== undefined) {
		return withoutOptionalDigits(one.full) === withoutOptionalDigits(other.full) ? 'same' : 'different';
	}
	const isPerhaps =
		isNationalForm(one.digits, other.full ?? other.digits) ||
		isNationalForm(other.digits, one.full ?? one.digits);
	return isPerhaps ? 'perhaps' : 'different';
}

/** Whether the first can be the second as it is written within the country of the second, which may be missing in both. */
function isNationalForm(national: string, number: string): boolean {
	return ['', countryCodeIn(number) ?? '']
		.flatMap((code) => completedWith(code, national))
		.some((completed) => withoutOptionalDigits(completed) === withoutOptionalDigits(number));
}
