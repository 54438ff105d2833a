import type { FaultEffect } from './core/faults';
import { normalizePhone, phoneOfChat } from './core/phone';

/** Each error of the API ("Errors") by the phone number whose requests get it. docs/try-it.md lists them. */
export const TEST_NUMBERS: Record<string, { status: number; error: string }> = {
	'905554040001': { status: 400, error: 'validation_error' },
	'905554040002': { status: 400, error: 'account_not_connected' },
	'905554040003': { status: 401, error: 'invalid_api_key' },
	'905554040004': { status: 403, error: 'forbidden' },
	'905554040005': { status: 404, error: 'not_found' },
	'905554040006': { status: 429, error: 'rate_limit_exceeded' },
	'905554040007': { status: 500, error: 'internal_error' },
	'905554040008': { status: 504, error: 'send_timeout' },
	'905554040009': { status: 400, error: 'too_many_phones' },
	'905554040010': { status: 400, error: 'invalid_date' },
	'905554040011': { status: 400, error: 'invalid_trigger_type' },
	'905554040012': { status: 400, error: 'content_blocked' },
	'905554040013': { status: 404, error: 'no_media' },
	'905554040014': { status: 400, error: 'invalid_filename' },
	'905554040015': { status: 404, error: 'contact_not_found' },
};

/**
 * What happens to a request that names one of the test numbers, anywhere in its path, query or body.
 *
 * @param texts the values of the request; others than texts and lists of texts are ignored
 */
export function faultOfTestNumber(texts: unknown[]): FaultEffect | undefined {
	for (const text of texts.flat()) {
		const number = typeof text === 'string' ? normalizePhone(phoneOfChat(text)) : undefined;
		const found = number === undefined ? undefined : TEST_NUMBERS[number];
		if (found) {
			const message = `Requests with this phone number always get ${found.error}.`;
			return { kind: 'status', ...found, body: { success: false, error: found.error, message } };
		}
	}
	return undefined;
}
