import type { ICredentialDataDecryptedObject, ITriggerFunctions } from 'n8n-workflow';

import { accountIdOf } from '../../api/account';
import { accountDigestIn } from '../../api/authentication';
import type { Client } from '../../api/client';
import { accountIn } from '../account/account';
import { adviceFor, FORMER_ACCOUNT, reportItem } from '../delivery/reports';
import { savedStateOf, stateOf } from '../delivery/state';
import { clock } from '../account/clock';
import type { ActivationContext } from './activationErrors';

/**
 * Keeps what a published trigger is registered with. If its key was changed within the credential, nobody has given the webhook
 * of the account before back, and nothing of that account is known any more: the log says so, and then the repair.
 *
 * @returns whether the trigger listened to another account before
 */
export function noteRegistered(
	context: ActivationContext,
	url: string,
	credential: ICredentialDataDecryptedObject,
	accountId: string | undefined,
): boolean {
	const saved = savedStateOf(context);
	const key = accountDigestIn(credential);
	const { accountKey, accountId: before, formerAccountId, webhookUrl } = saved;
	const hasChanged = before !== undefined && accountId !== undefined && before !== accountId;
	const isLeft = hasChanged && webhookUrl === url && accountKey !== undefined && accountKey !== key;
	if (isLeft) warnOf(context, before);
	Object.assign(saved, { accountId, accountKey: key, formerAccountId: isLeft ? before : formerAccountId });
	return hasChanged;
}

/**
 * Notes that the webhook was given back, if this is the key that it was set with. A key of another account could not do that,
 * which the log says.
 */
export async function noteGivenBack(
	context: ActivationContext,
	client: Client,
	credential: ICredentialDataDecryptedObject,
): Promise<void> {
	const saved = savedStateOf(context);
	const { accountKey, accountId: before } = saved;
	const isSameKey = accountKey === accountDigestIn(credential);
	if (!isSameKey) {
		if (accountKey === undefined || before === undefined) return;
		// The next publication finds it out, too.
		const accountId = await accountIdOf(client).catch(() => before);
		if (accountId === undefined || accountId === before) return;
		warnOf(context, before);
	}
	delete saved.accountKey;
	saved.formerAccountId = isSameKey ? undefined : before;
}

function warnOf(context: ActivationContext, accountId: string): void {
	context.logger.warn(`${context.getNode().name}: ${FORMER_ACCOUNT}. ${adviceFor(accountId)}`);
}

/**
 * Starts an execution that fails and tells of the webhook of an account before, at most once an hour.
 *
 * @throws ApiError if the service cannot be asked for the account of a key that has changed
 */
export async function reportFormerAccount(
	context: ITriggerFunctions,
	client: () => Promise<Client>,
	credential: ICredentialDataDecryptedObject,
): Promise<void> {
	const former = await formerAccountOf(context, client, credential);
	if (former === undefined || stateOf(context).formerAccount.add(true) === undefined) return;
	context.emit([[reportItem({ former_account: former })]]);
}

async function formerAccountOf(
	context: ITriggerFunctions,
	client: () => Promise<Client>,
	credential: ICredentialDataDecryptedObject,
): Promise<string | undefined> {
	const { accountKey, accountId, formerAccountId } = savedStateOf(context);
	const key = accountDigestIn(credential);
	if (formerAccountId !== undefined || accountKey === undefined || accountKey === key) return formerAccountId;
	const ask = async () => await accountIdOf(await client());
	const { id } = await accountIn(credential).owner.current(ask, clock.elapsed());
	return id === undefined || id === accountId ? undefined : accountId;
}
