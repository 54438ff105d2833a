import type { INode, INodeParameters } from 'n8n-workflow';

import { messagingChannel, node } from '../../support/n8n/workflow';
import { API_PATH } from '../../support/service/apiPath';
import { STEP, type BenchWorld } from './world';

const TO = '={{ $json.phone }}';
const MESSAGE = '={{ $json.text }}';

/** What runs is as many requests at a time as this package has by default while the rate limit has room. */
const MAX_CONCURRENCY = 100;

/** Messages to as many recipients. */
export const messages = (count: number) =>
	Array.from({ length: count }, (_, number) => ({
		phone: `9055${String(10_000_000 + number)}`,
		text: `Message ${number}`,
	}));

/** This package's node, with default settings except these options. */
export const ourSend = ({ credentials }: BenchWorld, options: INodeParameters = {}): INode =>
	messagingChannel(
		STEP,
		{
			resource: 'message',
			operation: 'send',
			to: { __rl: true, mode: 'phone', value: TO },
			message: MESSAGE,
			options,
		},
		credentials.messagingChannelApi,
	);

/** n8n's HTTP Request node with our credential. */
export const httpRequestSend = (
	{ sink, credentials }: BenchWorld,
	options: INodeParameters = {},
	extra: Partial<INode> = {},
): INode =>
	node(
		STEP,
		'n8n-nodes-base.httpRequest',
		{
			method: 'POST',
			url: `${sink.origin}${API_PATH}/messages/send`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'messagingChannelApi',
			sendBody: true,
			specifyBody: 'keypair',
			bodyParameters: {
				parameters: [
					{ name: 'to', value: TO },
					{ name: 'message', value: MESSAGE },
				],
			},
			options,
		},
		{ typeVersion: 4.2, credentials: { messagingChannelApi: credentials.messagingChannelApi }, ...extra },
	);

/** n8n's Telegram node, which sends one message after the other, as nearly all nodes do. */
export const telegramSend = ({ credentials }: BenchWorld, extra: Partial<INode> = {}): INode =>
	node(
		STEP,
		'n8n-nodes-base.telegram',
		{
			resource: 'message',
			operation: 'sendMessage',
			chatId: TO,
			text: MESSAGE,
			additionalFields: { appendAttribution: false },
		},
		{ typeVersion: 1.2, credentials: { telegramApi: credentials.telegramApi }, ...extra },
	);

/** The floor: n8n's helper with this package's credential, and nothing around it. */
export const bareSend = ({ sink, credentials }: BenchWorld): INode =>
	node(
		STEP,
		'n8n-nodes-floor.bareSend',
		{
			url: `${sink.origin}${API_PATH}/messages/send`,
			to: TO,
			message: MESSAGE,
			maxConcurrency: MAX_CONCURRENCY,
		},
		{ credentials: { messagingChannelApi: credentials.messagingChannelApi } },
	);

/** A node that passes its items on. */
export const doNothing = (): INode => node(STEP, 'n8n-nodes-base.noOp');
