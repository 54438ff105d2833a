import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ExecutionSummary } from '../n8n/execution';
import { messagingChannelTrigger, workflow, type CredentialReference } from '../n8n/workflow';
import type { DeliveryAttempt } from '../service/core/webhookDelivery';
import type { RawDelivery } from '../service/core/controlServer';
import { eventually } from '../poll';
import { callerOf } from '../service/testing';
import { queryRows } from './database';
import type { Place, World } from './world';

export const TRIGGER = 'Messaging Channel Trigger';

/** A workflow that consists of the trigger alone, not active yet. */
export async function createTrigger(
	{ n8n, credential }: Place,
	parameters: INodeParameters = {},
	own: CredentialReference = credential,
): Promise<string> {
	const { id } = await n8n.api.createWorkflow(
		workflow('Listens', [messagingChannelTrigger(parameters, own)]),
	);
	return id;
}

/** A workflow that consists of the trigger alone, active. */
export async function activateTrigger(world: Place, parameters: INodeParameters = {}): Promise<string> {
	const id = await createTrigger(world, parameters);
	await world.n8n.api.activate(id);
	return id;
}

/** Deactivates and deletes a workflow, whatever state it is in. */
export async function removeTrigger({ n8n }: Place, id: string): Promise<void> {
	await n8n.api.deactivate(id).catch(() => undefined);
	await n8n.api.deleteWorkflow(id).catch(() => undefined);
}

/** Gives the account a new secret that the credential has too: one that was verified before is not checked again. */
export async function rotateSecret({ n8n, service, credential, secrets }: World): Promise<void> {
	const { body } = await callerOf(() => service)('POST', '/webhooks/rotate-secret');
	secrets.signingSecret = String(body.secret);
	await n8n.api.updateCredential(credential, secrets);
}

let messages = 0;

/** The body of a `message.received`, unlike every other. */
export function messageBody(message: object = {}, more: object = {}): string {
	messages += 1;
	const from = '905551112233@c.us';
	return JSON.stringify({
		event: 'message.received',
		account_id: 'account-1',
		chat: { id: from, name: 'Somebody', phone: '905551112233', type: 'individual' },
		message: {
			id: `message-${process.pid}-${messages}`,
			from,
			to: '905550000001@c.us',
			body: 'Hello',
			type: 'chat',
			raw_type: 'chat',
			timestamp: Math.floor(Date.now() / 1000),
			from_me: false,
			has_media: false,
			media: null,
			...message,
		},
		...more,
	});
}

/** What one hand-made delivery is answered. */
export async function deliver(
	{ service }: Place,
	delivery: Partial<RawDelivery> = {},
): Promise<DeliveryAttempt> {
	const [attempt] = await service.control.deliver({ body: messageBody(), ...delivery });
	if (!attempt) throw new Error('Nothing was delivered');
	return attempt;
}

/** The executions of a workflow, after a pause in which one that must not start would have shown up. */
export async function executionsAfterPause({ n8n }: Place, id: string): Promise<ExecutionSummary[]> {
	await sleep(150);
	return await n8n.api.executions(id);
}

/** The last of what n8n put out at the trigger, as one text for each item. */
export async function receivedTexts({ n8n }: Place, id: string, count: number): Promise<string[]> {
	const executions = await n8n.api.waitForExecutions(id, count);
	return executions.flatMap((execution) =>
		execution.items(TRIGGER).map(({ json }) => String((json.message as { body?: unknown }).body)),
	);
}

/** In the row of the node: by its id and by its message. While it runs, there are twice as many. */
const KEYS_PER_EVENT = 2;

/** Waits until n8n's database records so many events as done. All of them must have begun. */
export async function untilRemembered({ n8n }: World, id: string, count: number): Promise<void> {
	const query = `
		SELECT sum(json_array_length(value, '$.data')) AS keys FROM processed_data
		WHERE workflowId = ? AND context LIKE 'n:%'`;
	await eventually(
		async () => await queryRows<{ keys: number | null }>(n8n, query, id),
		([row]) => row?.keys === KEYS_PER_EVENT * count,
	);
}
