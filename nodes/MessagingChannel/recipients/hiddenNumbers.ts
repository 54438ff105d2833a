import { numberBeside, recipientKey } from './recipient';

/** Limits the memory to about 1 MB per account. */
const MAX_NUMBERS = 10_000;

/** The numbers behind the IDs that hide them, by account, as far as this process has read them. Nothing that is stored depends on them. */
const numbers = new WeakMap<object, Map<string, string>>();

/**
 * Keeps the numbers that the service names beside the IDs of chats.
 *
 * @param account the state of the account that its executions share
 * @param chats chats as the service lists or delivers them
 */
export function keepNumbers(account: object, chats: ReadonlyArray<{ id?: string; phone?: string }>): void {
	const known = numbers.get(account) ?? new Map<string, string>();
	numbers.set(account, known);
	for (const chat of chats) {
		const number = numberBeside(chat);
		if (number !== undefined) known.set(recipientKey(chat.id ?? ''), number);
	}
	for (const oldest of [...known.keys()].slice(0, -MAX_NUMBERS)) known.delete(oldest);
}

/** The number behind an ID that hides it, if it is known; otherwise the recipient as it is. */
export function withNumber(account: object, recipient: string): string {
	return numbers.get(account)?.get(recipientKey(recipient)) ?? recipient;
}
