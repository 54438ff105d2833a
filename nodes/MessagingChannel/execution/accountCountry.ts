import { accountPhoneOf } from '../api/account';
import type { Client } from '../api/client';
import { ApiError } from '../api/errors';
import type { AccountState } from '../api/rateLimiter';
import { AccountCountryNeeded } from '../operation/input';
import { countryCodeIn, numberWithCountryCode } from '../recipients/phoneNumber';
import { phoneIn } from '../recipients/recipient';

/** The country of an account's own number, which is read only when an entered number needs it. */
export interface AccountCountry {
	/**
	 * @returns the country code; undefined if the service does not name the number
	 * @throws AccountCountryNeeded before it was read, ApiError if it could not be read: then nobody knows whose number is meant
	 */
	code(): string | undefined;
	/** Reads it. */
	read(): Promise<void>;
}

const NEEDED =
	"The node asked for the account's own country, because the number has no + and can be one of several countries. Begin it with + and its country code, or use the option 'Default Country Code'.";

/** Shared by all executions of this process. */
const knownCodes = new WeakMap<AccountState, string>();

/** Creates the country of an account for one run. What could not be read is tried again in the next run. */
export function createAccountCountry(client: Client, account: AccountState): AccountCountry {
	let isRead = false;
	let failure: ApiError | undefined;
	return {
		code() {
			const code = knownCodes.get(account);
			if (code === undefined && !isRead) throw new AccountCountryNeeded();
			if (failure) throw failure;
			return code;
		},
		async read() {
			const phone = await accountPhoneOf(client).catch(async (error: unknown) => {
				if (!(error instanceof ApiError)) return await Promise.reject(error);
				failure = error.with({ description: `${error.description} ${NEEDED}`, neverSent: true });
			});
			isRead = true;
			const number = numberWithCountryCode(phoneIn(phone ?? '') ?? '');
			const code = number && countryCodeIn(number);
			if (code) knownCodes.set(account, code);
		},
	};
}
