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
	 * @returns the country code; undefined if it cannot be read
	 * @throws AccountCountryNeeded before it was read
	 */
	code(): string | undefined;
	/** Reads it. */
	read(): Promise<void>;
}

/** Shared by all executions of this process. */
const knownCodes = new WeakMap<AccountState, string>();

/** Creates the country of an account for one run. What could not be read is tried again in the next run. */
export function createAccountCountry(client: Client, account: AccountState): AccountCountry {
	let isRead = false;
	return {
		code() {
			const code = knownCodes.get(account);
			if (code === undefined && !isRead) throw new AccountCountryNeeded();
			return code;
		},
		async read() {
			const phone = await accountPhoneOf(client).catch(async (error: unknown) =>
				error instanceof ApiError ? undefined : await Promise.reject(error),
			);
			isRead = true;
			const number = numberWithCountryCode(phoneIn(phone ?? '') ?? '');
			const code = number && countryCodeIn(number);
			if (code) knownCodes.set(account, code);
		},
	};
}
