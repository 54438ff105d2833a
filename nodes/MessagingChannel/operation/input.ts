import type { Parameters, FilePart } from '../api/apiRequest';

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

/** A value that cannot be sent, found before anything was sent. */
export class InvalidInput extends Error {
	/**
	 * @param problem continues a sentence that begins with the field's label, e.g. "is empty"
	 * @param advice what to enter instead
	 * @param displayName the field's label; whoever reads the field adds it when it is missing
	 */
	constructor(
		readonly problem: string,
		readonly advice: string,
		readonly displayName?: string,
	) {
		super(`'${displayName ?? 'A value'}' ${problem}`);
		this.name = 'InvalidInput';
	}

	/** The same problem, in the field with this label unless it names another. */
	in(displayName: string): InvalidInput {
		return this.displayName === undefined ? new InvalidInput(this.problem, this.advice, displayName) : this;
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
