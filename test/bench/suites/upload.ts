import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';

import { messagingChannel, node } from '../../support/n8n/workflow';
import { API_PATH } from '../../support/service/apiPath';
import { doNothing } from '../support/senders';
import type { Suite } from '../support/suite';
import {
	HTTP_REQUEST,
	measure,
	MEMORY_CAUSE,
	NOTHING,
	sizesOf,
	SMALL_YOUNG,
	transferRows,
	type Sizes,
} from '../support/transfer';
import { createRun, startBenchWorld, STEP, type BenchWorld, type StepOf } from '../support/world';

const TELEGRAM = 'Telegram';
const BARE = 'a bare upload';

/** Puts a file of each size into the binary store; returns the node that puts out the one of a size. */
async function storeFiles(
	world: BenchWorld,
	folder: string,
	sizes: Sizes,
): Promise<(bytes: number) => INode> {
	const stored = new Map<number, INode>();
	for (const bytes of sizes) {
		const path = join(folder, `${bytes}.mp4`);
		const file = await open(path, 'w');
		await file.truncate(bytes);
		await file.close();
		const read = node('File', 'n8n-nodes-base.readWriteFile', { fileSelector: path, options: {} });
		const execution = await world.n8n.api.run(
			await createRun(world, [read], doNothing()),
			'Start',
			1_200_000,
		);
		const binary = execution.items(STEP)[0]?.binary?.data;
		if (!binary?.id) throw new Error(`The file is not in the binary store: ${execution.error?.message}`);
		stored.set(bytes, node('File', 'n8n-nodes-floor.storedFile', { binary: JSON.stringify(binary) }));
	}
	return (bytes) => stored.get(bytes)!;
}

/** Sending a large file out of n8n's binary store. */
export const upload: Suite = {
	name: 'upload',
	title: 'Upload',
	how: `The file is in n8n's binary store on disk before n8n starts. A fresh n8n for each figure, after the same run with a small file. The bare upload sends the stored file with n8n's helper, without a form around it. ${MEMORY_CAUSE}`,
	async run(scale) {
		const sizes = sizesOf(scale);
		const folder = await mkdtemp(join(tmpdir(), 'bench-'));
		const world = await startBenchWorld({ env: { N8N_RESTRICT_FILE_ACCESS_TO: folder } });
		try {
			const storedFile = await storeFiles(world, folder, sizes);
			const ours = 'media:sendDocument';
			const figures = await measure(
				{
					sizes,
					start: async (nodeOptions) => {
						if (!scale.isTiny || nodeOptions) await world.n8n.restart({ env: { NODE_OPTIONS: nodeOptions } });
						return world;
					},
					before: (bytes) => [storedFile(bytes)],
					contestants: new Map([
						[ours, sendDocument],
						[HTTP_REQUEST, httpRequestUpload],
						[TELEGRAM, telegramUpload],
						[BARE, bareUpload],
						[SMALL_YOUNG, sendDocument],
						[NOTHING, doNothing],
					]),
					check: (name) => {
						const { bytes } = world.sink.taken();
						if (name !== NOTHING && bytes < sizes[1])
							throw new Error(`${name} uploaded ${bytes} of ${sizes[1]} bytes`);
					},
				},
				scale.rounds,
			);
			return transferRows('upload', sizes, figures, ours, TELEGRAM);
		} finally {
			await world.stop();
			await rm(folder, { recursive: true, force: true });
		}
	},
};

const sendDocument: StepOf = ({ credentials }) =>
	messagingChannel(
		STEP,
		{
			resource: 'media',
			operation: 'sendDocument',
			to: { __rl: true, mode: 'phone', value: '905551234567' },
			mediaSource: 'binary',
			binaryPropertyName: 'data',
		},
		credentials.messagingChannelApi,
	);

const httpRequestUpload: StepOf = ({ sink, credentials }) =>
	node(
		STEP,
		'n8n-nodes-base.httpRequest',
		{
			method: 'POST',
			url: `${sink.origin}${API_PATH}/messages/send-document`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'messagingChannelApi',
			sendBody: true,
			contentType: 'multipart-form-data',
			bodyParameters: {
				parameters: [
					{ parameterType: 'formData', name: 'to', value: '905551234567' },
					{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' },
				],
			},
			options: {},
		},
		{ typeVersion: 4.2, credentials: { messagingChannelApi: credentials.messagingChannelApi } },
	);

const telegramUpload: StepOf = ({ credentials }) =>
	node(
		STEP,
		'n8n-nodes-base.telegram',
		{
			resource: 'message',
			operation: 'sendDocument',
			chatId: '905551234567',
			binaryData: true,
			binaryPropertyName: 'data',
			additionalFields: {},
		},
		{ typeVersion: 1.2, credentials: { telegramApi: credentials.telegramApi } },
	);

const bareUpload: StepOf = ({ sink, credentials }) =>
	node(
		STEP,
		'n8n-nodes-floor.bareUpload',
		{ url: `${sink.origin}${API_PATH}/messages/send-document` },
		{ credentials: { messagingChannelApi: credentials.messagingChannelApi } },
	);
