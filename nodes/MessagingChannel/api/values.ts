import { jsonParse } from 'n8n-workflow';

/** Whether a value is an object with fields, not null and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a record, else an empty record. */
export function recordOrEmpty(value: unknown): Record<string, unknown> {
	return isRecord(value) ? value : {};
}

/** The value if it is a text with at least one character. */
export function nonEmptyText(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The texts among the values, without empty ones. */
export function nonEmptyTexts(values: unknown[]): string[] {
	return values.map(nonEmptyText).filter((text) => text !== undefined);
}

/** Whether an expression or a field gives something. */
export function isEntered(value: unknown): boolean {
	return typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null;
}

/** Whether a switch is on, which an expression can give as text or number. */
export function isOn(value: unknown): boolean {
	return isEntered(value) && !['false', '0'].includes(String(value).trim().toLowerCase());
}

/** Whether the digits of the number are those that were written. Beyond 16 digits, they are rounded. */
export function isExact(number: number): boolean {
	return Number.isFinite(number) && (Number.isSafeInteger(number) || !Number.isInteger(number));
}

/** The value of a text that is JSON. Anything else is returned unchanged. */
export function parsedJson(body: unknown): unknown {
	return typeof body === 'string' ? jsonParse<unknown>(body, { fallbackValue: body }) : body;
}

/** The texts, trimmed, without those that are then empty. */
export function trimmedTexts(texts: string[]): string[] {
	return texts.map((text) => text.trim()).filter((text) => text !== '');
}

/** The entries of a list that is separated by commas or line breaks, trimmed, without empty ones. */
export function splitList(text: string): string[] {
	return trimmedTexts(text.split(/[,\n]/));
}
