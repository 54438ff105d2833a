/** The country of the demo account: what a leading 0 stands for. */
const countryCode = '90';

/**
 * Digits with country code ("What the service does 7"). `+<country><number>`, `0<number>` and
 * `<country><number>` must give the same result, so a leading 0 becomes the account's country code.
 */
export function normalizePhone(text: string): string | undefined {
	const compact = text.replaceAll(' ', '');
	if (!/^\+?\d+$/.test(compact)) return undefined;
	const digits = compact.startsWith('0') ? countryCode + compact.slice(1) : compact.replace('+', '');
	return /^[1-9]\d{6,14}$/.test(digits) ? digits : undefined;
}

/** The chat of a phone number. */
export const chatOfPhone = (digits: string): string => `${digits}@c.us`;

/** The phone number of an individual chat. */
export const phoneOfChat = (chatId: string): string => chatId.split('@')[0] ?? '';

/** Whether the chat is a group's. */
export const isGroup = (chatId: string): boolean => chatId.endsWith('@g.us');

/** The chat id a phone number or chat id stands for. */
export function normalizeRecipient(text: string): string | undefined {
	if (/^[1-9]\d{6,14}@(c\.us|lid)$/.test(text) || /^\d[\d-]{4,39}@g\.us$/.test(text)) return text;
	const digits = normalizePhone(text);
	return digits === undefined ? undefined : chatOfPhone(digits);
}
