import { messagingChannel, node } from '../../support/n8n/workflow';
import { API_PATH } from '../../support/service/apiPath';
import { doNothing } from '../support/senders';
import { startSink } from '../support/sink';
import type { Suite } from '../support/suite';
import {
	HTTP_REQUEST,
	measure,
	MEMORY_CAUSE,
	NOTHING,
	sizesOf,
	SMALL_YOUNG,
	transferRows,
} from '../support/transfer';
import { startBenchWorld, STEP, type StepOf } from '../support/world';

export const BARE = 'a bare download';

/** Taking a large file into n8n's binary store. */
export const download: Suite = {
	name: 'download',
	title: 'Download',
	how: `Into n8n's binary store on disk; a fresh n8n for each figure, after the same run with a small file. The bare download hands what n8n's helper gives to the store. ${MEMORY_CAUSE}`,
	async run(scale) {
		const sizes = sizesOf(scale);
		const sink = await startSink();
		try {
			const ours = 'media:downloadFile';
			const figures = await measure(
				{
					sizes,
					start: async (nodeOptions) =>
						await startBenchWorld({ sink, env: nodeOptions ? { NODE_OPTIONS: nodeOptions } : {} }),
					end: async (world) => await world.stop(),
					before: () => [],
					contestants: new Map([
						[ours, downloadFile],
						[HTTP_REQUEST, httpRequestDownload],
						[BARE, bareDownload],
						[SMALL_YOUNG, downloadFile],
						[NOTHING, doNothing],
					]),
				},
				scale.rounds,
			);
			return transferRows('download', sizes, figures, ours, HTTP_REQUEST);
		} finally {
			await sink.stop();
		}
	},
};

export const downloadFile: StepOf = ({ credentials }) =>
	messagingChannel(
		STEP,
		{ resource: 'media', operation: 'downloadFile', filename: 'file.mp4' },
		credentials.messagingChannelApi,
	);

const httpRequestDownload: StepOf = ({ sink, credentials }) =>
	node(
		STEP,
		'n8n-nodes-base.httpRequest',
		{
			url: `${sink.origin}${API_PATH}/media/file.mp4`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'messagingChannelApi',
			options: { response: { response: { responseFormat: 'file' } } },
		},
		{ typeVersion: 4.2, credentials: { messagingChannelApi: credentials.messagingChannelApi } },
	);

export const bareDownload: StepOf = ({ sink, credentials }) =>
	node(
		STEP,
		'n8n-nodes-floor.bareDownload',
		{ url: `${sink.origin}${API_PATH}/media/file.mp4` },
		{ credentials: { messagingChannelApi: credentials.messagingChannelApi } },
	);
