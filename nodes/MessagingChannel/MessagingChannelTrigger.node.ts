import {
	NodeConnectionTypes,
	NodeOperationError,
	type IDataObject,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { connect, CREDENTIAL } from './api/connect';
import { EVENT_OPTIONS } from './fields/events';
import { nodeErrorOf } from './operation/failure';
import { judge } from './trigger/delivery';
import { isRegistered, register, unregister, WebhookTaken, type Registration } from './trigger/registration';

const HOW_TO_GET_A_SECRET =
	"Run the action Webhook > Rotate Secret once and paste the secret that it returns into the credential, as 'Signing Secret'.";

export class MessagingChannelTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Channel Trigger',
		name: 'messagingChannelTrigger',
		icon: {
			light: 'file:../../icons/messagingChannel.svg',
			dark: 'file:../../icons/messagingChannel.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description: 'Starts the workflow when a message arrives, or its status or the connection changes',
		defaults: { name: 'Messaging Channel Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingChannelApi', required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Without it n8n answers a literal 'firstEntryJson'.
				responseData: '',
				path: 'webhook',
			},
		],
		properties: [
			{
				displayName:
					'An account has one webhook. Activating this workflow points it here; use one trigger per account.',
				name: 'notice',
				type: 'notice',
				default: '',
			},
			{
				displayName: 'Events',
				name: 'events',
				type: 'multiOptions',
				default: ['message.received'],
				required: true,
				description: 'Events that start the workflow',
				options: EVENT_OPTIONS,
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add Option',
				default: {},
				options: [
					{
						displayName: 'If Webhook Exists',
						name: 'ifWebhookExists',
						type: 'options',
						default: 'fail',
						description: "What to do when the account's webhook already points to another address",
						options: [
							{
								name: 'Fail',
								value: 'fail',
								description: 'Leave it as it is and do not activate',
							},
							{
								name: 'Replace',
								value: 'replace',
								description: 'Point it here; the other address gets nothing any more',
							},
						],
					},
					{
						displayName: 'Timeout',
						name: 'timeoutSeconds',
						type: 'number',
						typeOptions: { minValue: 1, numberPrecision: 0 },
						default: 30,
						description:
							'Seconds that the service waits for n8n to take an event before it delivers the event again',
					},
				],
			},
		],
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await withRegistration(this, async (client, wanted) => await isRegistered(client, wanted));
			},

			async create(this: IHookFunctions): Promise<boolean> {
				const { signingSecret } = await this.getCredentials(CREDENTIAL);
				if (!signingSecret) {
					throw new NodeOperationError(
						this.getNode(),
						'The credential has no signing secret, so events could not be verified',
						{ description: HOW_TO_GET_A_SECRET },
					);
				}
				const replace = this.getNodeParameter('options.ifWebhookExists', 'fail') === 'replace';
				return await withRegistration(this, async (client, wanted) => {
					await register(client, wanted, replace);
					return true;
				});
			},

			async delete(this: IHookFunctions): Promise<boolean> {
				return await withRegistration(this, async (client, { url }) => {
					await unregister(client, url);
					return true;
				});
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const { signingSecret } = await this.getCredentials(CREDENTIAL);
		const request = this.getRequestObject();
		if (request.rawBody === undefined) await request.readRawBody();
		const verdict = judge(
			{ headers: request.headers, rawBody: request.rawBody, body: this.getBodyData() },
			String(signingSecret ?? ''),
			this.getNodeParameter('events', []) as string[],
			Date.now(),
		);
		if (verdict.outcome === 'accepted') {
			return { workflowData: [this.helpers.returnJsonArray([verdict.event])] };
		}
		// The status cannot be set by the return value.
		const response = this.getResponseObject();
		if (verdict.outcome === 'ignored') response.status(200).end();
		else response.status(401).json({ error: verdict.error } satisfies IDataObject);
		return { noWebhookResponse: true };
	}
}

/** Does something about the account's webhook, with the registration that the node wants. */
async function withRegistration(
	context: IHookFunctions,
	work: (client: Awaited<ReturnType<typeof connect>>, wanted: Registration) => Promise<boolean>,
): Promise<boolean> {
	const wanted: Registration = {
		url: context.getNodeWebhookUrl('default') ?? '',
		events: context.getNodeParameter('events', []) as string[],
		timeoutSeconds: context.getNodeParameter('options.timeoutSeconds', 30) as number,
	};
	try {
		return await work(await connect(context), wanted);
	} catch (error) {
		if (!(error instanceof WebhookTaken)) throw nodeErrorOf(context.getNode(), error);
		throw new NodeOperationError(context.getNode(), error.message, {
			description:
				"An account has one webhook. If that address is no longer needed, set the trigger's option 'If Webhook Exists' to 'Replace'.",
		});
	}
}
