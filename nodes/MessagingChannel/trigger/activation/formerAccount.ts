import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { accountIdOf } from '../../api/account';
import { accountDigestIn } from '../../api/authentication';
import type { Client } from '../../api/client';
import { accountIn } from '../account/account';
import { adviceFor, FORMER_ACCOUNT } from '../delivery/reports';
import { stateOf } from '../delivery/state';
import type { PublishedTrigger, Trigger } from '../delivery/trigger';
import { clock } from '../account/clock';

/**
 * Keeps what a published trigger is registered with. If its key was changed within the credential, nobody has given the webhook
 * of the account before back, and nothing of that account is known any more: the log says so, and then the repair.
 *
 * @returns whether the trigger listened to another account before
 */
export function noteRegistered(
	trigger: Trigger,
	url: string,
	credential: ICredentialDataDecryptedObject,
	accountId: string | undefined,
): boolean {
	const { saved } = trigger;
	const key = accountDigestIn(credential);
	const { accountKey, accountId: before, formerAccountId, webhookUrl } = saved;
	const hasChanged = before !== undefined && accountId !== undefined && before !== accountId;
	const isLeft = hasChanged && webhookUrl === url && accountKey !== undefined && accountKey !== key;
	if (isLeft) warnOf(trigger, before);
	Object.assign(saved, { accountId, accountKey: key, formerAccountId: isLeft ? before : formerAccountId });
	return hasChanged;
}

/**
 * Notes that the webhook was given back, if this is the key that it was set with. A key of another account could not do that,
 * which the log says.
 */
export async function noteGivenBack(
	trigger: Trigger,
	client: Client,
	credential: ICredentialDataDecryptedObject,
): Promise<void> {
	const { saved } = trigger;
	const { accountKey, accountId: before } = saved;
	const isSameKey = accountKey === accountDigestIn(credential);
	if (!isSameKey) {
		if (accountKey === undefined || before === undefined) return;
		// The next publication finds it out, too.
		const accountId = await accountIdOf(client).catch(() => before);
		if (accountId === undefined || accountId === before) return;
		warnOf(trigger, before);
	}
	delete saved.accountKey;
	saved.formerAccountId = isSameKey ? undefined : before;
}

function warnOf({ node, logger }: Trigger, accountId: string): void {
	logger.warn(`${node.name}: ${FORMER_ACCOUNT}. ${adviceFor(accountId)}`);
}

/**
 * Starts an execution that fails and tells of the webhook of an account before, at most once an hour.
 *
 * @throws ApiError if the service cannot be asked for the account of a key that has changed
 */
export async function reportFormerAccount(
	trigger: PublishedTrigger,
	client: () => Promise<Client>,
	credential: ICredentialDataDecryptedObject,
): Promise<void> {
	const former = await formerAccountOf(trigger, client, credential);
	if (former === undefined || stateOf(trigger).formerAccount.add(true) === undefined) return;
	trigger.report({ former_account: former });
}

async function formerAccountOf(
	{ saved: { accountKey, accountId, formerAccountId } }: PublishedTrigger,
	client: () => Promise<Client>,
	credential: ICredentialDataDecryptedObject,
): Promise<string | undefined> {
	const key = accountDigestIn(credential);
	if (formerAccountId !== undefined || accountKey === undefined || accountKey === key) return formerAccountId;
	const ask = async () => await accountIdOf(await client());
	const { id } = await accountIn(credential).owner.current(ask, clock.elapsed());
	return id === undefined || id === accountId ? undefined : accountId;
}
