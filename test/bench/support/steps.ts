import type { INode, INodeParameters } from 'n8n-workflow';

import { messagingChannel, node } from '../../support/n8n/workflow';
import { API_PATH } from '../../support/service/apiPath';
import { STEP, type BenchWorld, type StepOf } from './world';

const TO = '={{ $json.phone }}';
const MESSAGE = '={{ $json.text }}';
const PHONE = '905551234567';

/** What runs is as many requests at a time as this package has by default while the rate limit has room. */
const MAX_CONCURRENCY = 100;

/** Messages to as many recipients. */
export const messages = (count: number) =>
	Array.from({ length: count }, (_, number) => ({
		phone: `9055${String(10_000_000 + number)}`,
		text: `Message ${number}`,
	}));

const ours = (
	{ credentials }: BenchWorld,
	parameters: INodeParameters & { resource: string; operation: string },
) => messagingChannel(STEP, parameters, credentials.messagingChannelApi);

const httpRequest = (
	{ sink, credentials }: BenchWorld,
	path: string,
	parameters: INodeParameters,
	extra = {},
) =>
	node(
		STEP,
		'n8n-nodes-base.httpRequest',
		{
			url: `${sink.origin}${API_PATH}${path}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'messagingChannelApi',
			options: {},
			...parameters,
		},
		{ typeVersion: 4.2, credentials: { messagingChannelApi: credentials.messagingChannelApi }, ...extra },
	);

const telegram = ({ credentials: { telegramApi } }: BenchWorld, parameters: INodeParameters, extra = {}) =>
	node(
		STEP,
		'n8n-nodes-base.telegram',
		{ resource: 'message', ...parameters },
		{ typeVersion: 1.2, credentials: { telegramApi }, ...extra },
	);

/** This package's node, with default settings except these options. */
export const ourSend =
	(options: INodeParameters = {}): StepOf =>
	(world) =>
		ours(world, {
			resource: 'message',
			operation: 'send',
			to: { __rl: true, mode: 'phone', value: TO },
			message: MESSAGE,
			options,
		});

/** n8n's HTTP Request node with our credential. */
export const httpRequestSend =
	(options: INodeParameters = {}, extra: Partial<INode> = {}): StepOf =>
	(world) => {
		const parameters = [
			{ name: 'to', value: TO },
			{ name: 'message', value: MESSAGE },
		];
		const body = { method: 'POST', sendBody: true, specifyBody: 'keypair', bodyParameters: { parameters } };
		return httpRequest(world, '/messages/send', { ...body, options }, extra);
	};

/** n8n's Telegram node, which sends one message after the other, as nearly all nodes do. */
export const telegramSend =
	(extra: Partial<INode> = {}): StepOf =>
	(world) => {
		const additionalFields = { appendAttribution: false };
		return telegram(world, { operation: 'sendMessage', chatId: TO, text: MESSAGE, additionalFields }, extra);
	};

/** The floor: n8n's helper with this package's credential, and nothing around it. */
export const bareSend: StepOf = ({ sink, credentials: { messagingChannelApi } }) =>
	node(
		STEP,
		'n8n-nodes-floor.bareSend',
		{
			url: `${sink.origin}${API_PATH}/messages/send`,
			to: TO,
			message: MESSAGE,
			maxConcurrency: MAX_CONCURRENCY,
		},
		{ credentials: { messagingChannelApi } },
	);

/** A node that passes its items on. */
export const doNothing: StepOf = () => node(STEP, 'n8n-nodes-base.noOp');

/** Nodes that send the file of their item. */
export const uploads: Record<string, StepOf> = {
	'media:sendDocument': (world) =>
		ours(world, {
			resource: 'media',
			operation: 'sendDocument',
			to: { __rl: true, mode: 'phone', value: PHONE },
			mediaSource: 'binary',
			binaryPropertyName: 'data',
		}),
	'HTTP Request': (world) => {
		const parameters = [
			{ parameterType: 'formData', name: 'to', value: PHONE },
			{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' },
		];
		const form = { contentType: 'multipart-form-data', bodyParameters: { parameters } };
		return httpRequest(world, '/messages/send-document', { method: 'POST', sendBody: true, ...form });
	},
	Telegram: (world) => {
		const file = { binaryData: true, binaryPropertyName: 'data', additionalFields: {} };
		return telegram(world, { operation: 'sendDocument', chatId: PHONE, ...file });
	},
	'a node that does nothing': doNothing,
};

/** Nodes that fetch a file. */
export const downloads: Record<string, StepOf> = {
	'media:downloadFile': (world) =>
		ours(world, { resource: 'media', operation: 'downloadFile', filename: 'file.mp4' }),
	'HTTP Request': (world) =>
		httpRequest(world, '/media/file.mp4', {
			options: { response: { response: { responseFormat: 'file' } } },
		}),
	'a node that does nothing': doNothing,
};
