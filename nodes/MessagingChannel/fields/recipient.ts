import { InvalidInput, shown, type Locator } from '../operation/input';
import {
	cleaned,
	digitsOf,
	type EnteredNumber,
	internationalReading,
	isCountryCode,
	isMobileSomewhere,
	mobileNumberIn,
	nationalReadings,
	NORTH_AMERICA,
	readNumber,
	withCountryCode,
} from '../recipients/phoneNumber';
import { isChatId, isEmailAddress } from '../recipients/recipient';
import uniq from 'lodash/uniq';
import type { Parameters } from '../api/apiRequest';
import { SEPARATOR, splitList } from '../api/values';
import type { Field } from '../operation/operation';
import { byChatId, byPhoneNumber, locator } from './locator';
import { validId } from './recordId';

/** A number of at least 100,000 as spreadsheets show it in a narrow column, e.g. 5.55E+11. */
const SCIENTIFIC = /^[+-]?\d([.,]\d+)?e\+?\d{1,2}$/i;

/** What a spreadsheet calculates when a number is entered as +90-5551234567. The rest is another person's number. */
const NEGATIVE = /^[-\u2212]\d+(\.\d+)?$/;

/** Characters that show nothing, and that are neither spaces nor removed as formatting. */
const HIDDEN = /(?!\s)[\p{Cc}\p{Co}\p{Cn}\p{Mn}\u115f\u1160\u2800\u3164]/u;

/**
 * Converts a phone number to what the service accepts (API spec, "What the service does" 7).
 *
 * @throws InvalidInput when it is not a phone number
 */
export function normalizePhone(entered: string): string {
	return validNumber(entered).digits;
}

/** @throws InvalidInput when it is not a phone number */
function validNumber(entered: string): EnteredNumber & { digits: string } {
	const number = readNumber(entered);
	const { text, digits, hasDecimals } = number;
	if (NEGATIVE.test(text)) {
		throw new InvalidInput(
			`is a negative number, which a spreadsheet has calculated: ${shown(entered)}`,
			'Format the column as text in the spreadsheet, and enter the numbers again, because they were changed.',
		);
	}
	if (digits !== undefined) return { ...number, digits };
	const [hidden] = HIDDEN.exec(entered) ?? [];
	if (SCIENTIFIC.test(text)) {
		throw new InvalidInput(
			`is a number that a spreadsheet has rounded: ${shown(entered)}`,
			'Format the column as text in the spreadsheet, and enter the numbers again, because their last digits are lost.',
		);
	}
	if (/\d/.test(text) && hasDecimals) {
		throw new InvalidInput(
			`ends with decimals, as a spreadsheet writes amounts: ${shown(entered)}`,
			'Format the column as text in the spreadsheet, or remove the decimals.',
		);
	}
	if (hidden !== undefined) {
		const codePoint = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
		throw new InvalidInput(
			`contains the hidden character U+${codePoint}: ${shown(entered)}`,
			'Type the number again instead of copying it.',
		);
	}
	if (isChatId(text)) {
		throw new InvalidInput(
			`is a chat ID, not a phone number: ${shown(entered)}`,
			'Enter the phone number of the person. The trigger puts it out as chat.phone.',
		);
	}
	throw new InvalidInput(
		`is not a valid phone number: ${shown(entered)}`,
		'Enter the number with its country code, e.g. +90 555 123 45 67.',
	);
}

/** The country of the numbers that are entered without their country code. */
export const defaultCountryCode: Field = {
	displayName: 'Default Country Code',
	name: 'defaultCountryCode',
	type: 'string',
	default: '',
	placeholder: 'e.g. 90',
	description:
		"Country code of phone numbers that are entered without one, such as 0555 123 45 67. Numbers that begin with + or 00 keep their own code. If empty, the account's own country is taken into account.",
	api: [],
	// Without the code, the message could go to a number of another country.
	mustResolve: true,
	toApi: (entered: string) => {
		const code = cleaned(entered).replace(/^(\+|00)/, '');
		if (isCountryCode(code)) return { defaultCountryCode: code };
		throw new InvalidInput(
			`is not a country code: ${shown(entered)}`,
			'Enter the digits that numbers of the country begin with abroad, e.g. 90 for Turkey or 1 for the United States.',
		);
	},
};

/** The settings of an item that say how a number without its country code is read. */
interface Countries {
	/** The country that the user entered. */
	defaultCountryCode?: string;
	/** The country of the account; undefined if it is not known. */
	accountCountryCode?: () => string | undefined;
}

const ADVICE =
	"Begin the number with + and its country code. For numbers without one, operations that send have the option 'Default Country Code'.";

/**
 * Completes a phone number (API spec, "What the service does" 7). Of a number with + or 00, only a 0 that is not dialed from
 * abroad is left out. Without a default country, a leading 0 stays, because the service knows the country.
 *
 * @param settings those of the item
 * @returns the digits with country code, or with the leading 0
 * @throws InvalidInput when it is not a phone number, or when its country is uncertain
 */
export function completedNumber(entered: string, settings: Parameters = {}): string {
	const number = validNumber(entered);
	const { digits } = number;
	if (number.hasCountryCode) return withCountryCode(number) ?? digits;
	const { defaultCountryCode: countryCode, accountCountryCode } = settings as Countries;
	if (countryCode !== undefined) return withDefault(digits, countryCode, entered);
	return digits.startsWith('0') ? digits : withAccount(digits, accountCountryCode, entered);
}

/** The number, where the country of the account counts as far as the digits can be a number of it. */
function withAccount(
	digits: string,
	accountCountryCode: Countries['accountCountryCode'],
	entered: string,
): string {
	const international = internationalReading(digits)?.number;
	const isNorthAmerican = international?.startsWith(NORTH_AMERICA) === true;
	const home = isNorthAmerican || isMobileSomewhere(digits) ? accountCountryCode?.() : undefined;
	const mobile = home === undefined ? undefined : mobileNumberIn(digits, home);
	const number = onlyOne([mobile, international], entered);
	if (number === undefined) {
		throw new InvalidInput(`has no country code, or the wrong number of digits: ${shown(entered)}`, ADVICE);
	}
	if (number === international && isNorthAmerican && home !== NORTH_AMERICA) throw uncertainOne(entered);
	return number;
}

function withDefault(digits: string, countryCode: string, entered: string): string {
	const national = nationalReadings(digits, countryCode);
	const mobile = national.find(({ isMobile }) => isMobile);
	// A number of the own country is far more likely than a foreign one without +.
	if (mobile) return mobile.number;
	const international = internationalReading(digits);
	if (international?.isMobile && digits.startsWith(countryCode)) return international.number;
	const number = onlyOne([...national.map((reading) => reading.number), international?.number], entered);
	if (number === undefined) {
		throw new InvalidInput(
			`fits neither the country code ${countryCode} nor any other: ${shown(entered)}`,
			'Check the digits. A number that begins with + and its country code is sent as it is.',
		);
	}
	if (number.startsWith(NORTH_AMERICA) && countryCode !== NORTH_AMERICA) throw uncertainOne(entered);
	return number;
}

/**
 * The one number that all readings give.
 *
 * @throws InvalidInput if they give several
 */
function onlyOne(readings: Array<string | undefined>, entered: string): string | undefined {
	const numbers = uniq(readings.filter((number) => number !== undefined));
	if (numbers.length <= 1) return numbers[0];
	throw new InvalidInput(
		`can be read as ${numbers.map((number) => `+${number}`).join(' or ')}: ${shown(entered)}`,
		`${ADVICE} A chat ID is never read as a number.`,
	);
}

function uncertainOne(entered: string): InvalidInput {
	return new InvalidInput(
		`begins with 1, like numbers of North America and mobile numbers of other countries: ${shown(entered)}`,
		ADVICE,
	);
}

/** The recipient of a message: a contact or chat from the list, a phone number, or a chat id. */
export const to: Field = {
	...locator(
		{ displayName: 'To', name: 'to', description: 'The person or group to send the message to' },
		'searchRecipients',
		[byPhoneNumber, byChatId],
	),
	toApi: ({ mode, value, isSelected }: Locator, settings) => {
		const entries = SEPARATOR.test(value) ? splitList(value) : [];
		if (entries.filter((each) => isChatId(each) || digitsOf(each)).length > 1) {
			throw new InvalidInput(
				`has more than one recipient: ${shown(value)}`,
				'Make an item of each, e.g. with the Split Out node, or use Broadcast > Create.',
			);
		}
		// n8n's editor selects the chat ID when a field is dragged here, also for a field with phone numbers.
		if ((isSelected || mode === 'id') && !isLikePhoneNumber(cleaned(value)))
			return { to: validChatId(value, isSelected) };
		// The numbers in the list are those of contacts, which have their country code.
		return { to: isSelected ? normalizePhone(value) : recipientOf(value, settings) };
	},
};

/** The longest phone number. IDs of groups are longer, also those with a dash. */
const MAX_DIGITS = 15;

/** Whether a text without a channel suffix is more likely a phone number, right or wrong, than the ID of a group. */
function isLikePhoneNumber(entered: string): boolean {
	// Forms and sheets put something before it: whatsapp:+90…, p:+90…, or an apostrophe.
	const mayBeNumber = /^(\w+:)?\W*\d|\+\d/.test(entered);
	const isGroup = /^[\d-]+$/.test(entered) && entered.replace(/\D/g, '').length > MAX_DIGITS;
	return mayBeNumber && !isChatId(entered) && !isGroup;
}

/**
 * Converts a recipient to what the service accepts: the digits of a phone number, or a chat id.
 *
 * @param settings those of the item, which say how a number without its country code is read
 * @throws InvalidInput when it is neither a phone number nor a chat id
 */
export function recipientOf(entered: string, settings: Parameters = {}): string {
	const id = cleaned(entered);
	return isChatId(id) ? id : completedNumber(entered, settings);
}

/**
 * A chat ID as the service accepts it.
 *
 * @param isSelected whether it is from the list, whose IDs are the service's own
 * @throws InvalidInput when it has a blank or a slash, or is an email address that was entered
 */
export function validChatId(entered: string, isSelected = false): string {
	const id = cleaned(entered);
	if (/^[^\s/]+$/.test(id) && (isSelected || !isEmailAddress(id))) return validId(id);
	throw new InvalidInput(
		`is not a valid chat ID: ${shown(entered)}`,
		'Enter the ID exactly as Chat > Get Many returns it.',
	);
}
