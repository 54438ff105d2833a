import { NO_RETRIES } from '../../api/apiRequest';
import { accountIdOf } from '../../api/account';
import { accountIn, type Account } from '../account/account';
import { clock } from '../account/clock';
import type { Door } from './door';
import type { ServiceEvent } from './event';
import { within } from './within';

/** How long a delivery waits for the account of the API key. n8n waits minutes for a service that does not respond. */
const ACCOUNT_TIMEOUT_MS = 10_000;

/**
 * Whose an event is:
 * - `own`: that of the account that was saved at activation, or that the API key belongs to by now
 * - `foreign`: that of another account
 * - `unknown`: the service must deliver it again, because it does not say whose the API key is, or was asked a moment ago
 */
export type Ownership = 'own' | 'foreign' | 'unknown';

/** Checks that an event belongs to the account. If it names another one than expected, the service is asked, at a bounded rate. */
export async function ownershipOf(
	{ saved, credential, connect, state }: Door,
	{ accountId }: ServiceEvent,
	account: Account,
): Promise<Ownership> {
	if (saved.accountId === undefined || [undefined, saved.accountId, account.owner.id].includes(accountId))
		return 'own';
	const ask = async () => {
		// The key may have changed since the account was found.
		const { owner } = accountIn(await credential());
		// A redelivery by the service replaces a retry here.
		return await owner.current(async () => await accountIdOf(await connect(), NO_RETRIES), clock.elapsed());
	};
	const { id, isNew } = (await within(ACCOUNT_TIMEOUT_MS, ask()).catch(() => undefined)) ?? {};
	const note = (line: string) => state().log.note(line, clock.elapsed());
	if (id === accountId) {
		if (isNew) note(`The API key belongs to the account '${id}' now, and before to '${saved.accountId}'`);
		return 'own';
	}
	if (id === undefined || !isNew) return 'unknown';
	note('An event was dropped because it belongs to a different account than the API key in the credential');
	return 'foreign';
}
