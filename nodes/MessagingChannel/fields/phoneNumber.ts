import { InvalidInput, shown } from '../operation/input';

/** After a country code, a 0 in brackets is the one to dial instead of it. */
const NATIONAL_ZERO = /(?<=^[\s\p{Cf}(]*(?:\+|00)[^(]*)\(0\)/u;

/**
 * A phone number as the service takes it: the digits, without the punctuation that people write (API spec,
 * "Conventions" 7). A leading 0 stays, because only the service knows the country that it stands for.
 *
 * @throws InvalidInput when it is no phone number
 */
export function normalizePhone(entered: string): string {
	const digits = entered
		.normalize('NFKC')
		.replace(/^tel:/i, '')
		.replace(NATIONAL_ZERO, '')
		.replace(/[\s\p{Cf}\p{Pd}\u2212()./]/gu, '')
		.replace(/^(\+|00)/, '');
	if (!/^0?[1-9]\d{5,14}$/.test(digits)) {
		throw new InvalidInput(
			`is not a phone number: ${shown(entered)}`,
			'Enter it with its country code, e.g. +90 555 123 45 67.',
		);
	}
	return digits;
}

/** Whether this is the service's own id of a chat, such as a phone number with the channel's suffix. */
export function isChatId(entered: string): boolean {
	return /^[^\s@/]+@[^\s@/]+$/.test(entered);
}
