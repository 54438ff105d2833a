import type { Parameters, FilePart } from '../api/apiRequest';
import { isExact } from '../api/values';

/** The value of a resource locator. */
export interface Locator {
	/** How the value was entered; empty when an expression or an agent returned only the value. */
	mode: string;
	value: string;
	/** Whether the value was selected from the list. In this mode, it can also come from an expression. */
	isSelected?: boolean;
}

/** The validated values of the fields, for one item. */
export interface Input {
	/** Values for the service, by the API's names in camelCase. */
	parameters: Parameters;
	/** Values for this node only, by field name. */
	settings: Parameters;
	/**
	 * The file in a binary field of the item, or one that an expression gives.
	 *
	 * @param source the name of the field, or the file
	 * @throws InvalidInput when the field holds no file that can be sent
	 */
	file: (source: unknown) => FilePart;
}

/** A value that cannot be sent. It is detected before any request. */
export class InvalidInput extends Error {
	/**
	 * @param problem continues a sentence that begins with the field's label, e.g. "is empty"
	 * @param description what to enter instead
	 * @param displayName the label of the field; `readInput` adds it when it is missing
	 * @param code what workflows read; another one if the mistake is not in the field
	 */
	constructor(
		readonly problem: string,
		readonly description: string,
		readonly displayName?: string,
		readonly code = 'validation_error',
	) {
		super(`'${displayName ?? 'A value'}' ${problem}`);
		this.name = 'InvalidInput';
	}

	/** The same error with the label of the field, unless it has one already. */
	in(displayName: string): InvalidInput {
		return this.displayName === undefined
			? new InvalidInput(this.problem, this.description, displayName, this.code)
			: this;
	}
}

/** Ends the reading of an item that needs the country of the account, so that it is read again when that is known. */
export class AccountCountryNeeded extends InvalidInput {
	constructor() {
		// Nobody sees it.
		super('', '');
	}

	override in(): this {
		return this;
	}
}

/**
 * The error for a number that is not the one that was written.
 *
 * @param start begins the problem, e.g. "is"
 * @param place continues it, e.g. " in the field 'a'"
 */
export function inexactNumber(number: number, start: string, place = '', displayName?: string): InvalidInput {
	return Number.isFinite(number)
		? new InvalidInput(
				`${start} a number whose last digits are lost${place}: ${number}`,
				'Pass it on as text from where it comes from, in quotes.',
				displayName,
			)
		: new InvalidInput(
				`${start} the result of a calculation that gives no number${place}`,
				'Correct the expression.',
				displayName,
			);
}

/**
 * The object, if it goes out as it was written.
 *
 * @throws InvalidInput when a number in it is not the one that was written, or JSON would leave out a field without a value
 */
export function exactObject(object: object): object {
	JSON.stringify(object, (name, value: unknown) => {
		// In a list, the name is only a place.
		const place = /^\d+$/.test(name) ? '' : ` in the field '${name}'`;
		if (typeof value === 'number' && !isExact(value)) throw inexactNumber(value, 'has', place);
		if (value === undefined) {
			throw new InvalidInput(
				`has an expression that gives nothing${place}`,
				'Correct the expression. If the field may be empty, let it give an empty text, e.g. {{ $json.plan ?? "" }}.',
			);
		}
		return value;
	});
	return object;
}

/** The value in quotes for an error message, shortened to about 80 characters. */
export function shown(value: unknown): string {
	// JSON has no NaN and no Infinity.
	const text = ['string', 'number'].includes(typeof value) ? String(value) : jsonOf(value);
	return `'${text.length > 80 ? `${text.slice(0, 80)}…` : text}'`;
}

function jsonOf(value: unknown): string {
	try {
		return JSON.stringify(value) ?? 'nothing';
	} catch {
		// The object is circular, or holds a value that JSON cannot represent.
		return 'an object';
	}
}
