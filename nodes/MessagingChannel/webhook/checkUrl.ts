import { randomUUID } from 'crypto';

/** While the secret of a trigger is checked, its URL has this parameter. */
export const CHECK_PARAMETER = 'check';

const TOKEN = String.raw`(\d{13})-[\da-f-]{36}`;

/**
 * A token that only the service gets to know.
 *
 * @param now Unix time in milliseconds, which other processes read
 */
export function newCheckToken(now: number): string {
	return `${now}-${randomUUID()}`;
}

/** When the check with a token began, in Unix milliseconds; NaN if it is none. */
export function startOfCheck(token: string): number {
	return Number(new RegExp(`^${TOKEN}$`).exec(token)?.[1] ?? NaN);
}

/** The URL of a check. */
export function checkUrlOf(url: string, token: string): string {
	return `${url}${url.includes('?') ? '&' : '?'}${CHECK_PARAMETER}=${token}`;
}

/** The URL of a single trigger, whose secret may be checked at the moment. */
export function withoutCheck(url: string): string {
	return url.replace(new RegExp(String.raw`\?${CHECK_PARAMETER}=${TOKEN}$`), '');
}
