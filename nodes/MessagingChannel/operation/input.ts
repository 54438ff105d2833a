import type { Parameters } from '../api/apiRequest';
import type { FilePart } from '../api/multipart';

/** What a resource locator holds: how the user chose, and what. */
export interface Locator {
	/** Empty when an expression or an agent gave the bare value. */
	mode: string;
	value: string;
}

/** What the user entered for one item, checked. */
export interface Input {
	/** For the service, by the API's names in camelCase. */
	parameters: Parameters;
	/** For us, by the fields' names. */
	settings: Parameters;
	/**
	 * The file in a binary field of the item.
	 *
	 * @throws InvalidInput when the item has none there
	 */
	file: (binaryPropertyName: string) => FilePart;
}

/** A value that cannot be sent, found before anything was. The field's name is added by whoever read the value. */
export class InvalidInput extends Error {
	constructor(
		/** Continues a sentence that begins with the field's name, e.g. "is empty". */
		readonly problem: string,
		/** What to enter instead. */
		readonly advice: string,
		/** The field's label, when the value was not found in reading one field. */
		readonly displayName?: string,
	) {
		super(problem);
	}
}

/** The value as the user will recognise it, not longer than a line. */
export function shown(value: unknown): string {
	const text = typeof value === 'string' ? value : jsonOf(value);
	return `'${text.length > 80 ? `${text.slice(0, 80)}…` : text}'`;
}

function jsonOf(value: unknown): string {
	try {
		return JSON.stringify(value) ?? 'nothing';
	} catch {
		// It leads back to itself, or holds what JSON has no notation for.
		return 'an object';
	}
}
