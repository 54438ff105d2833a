import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';

import { messagingChannel, node } from '../../n8n/workflow';
import { peakGrowth } from '../memory';
import { startSink, type Sink } from '../sink';
import { interleaved, middle, rowsOf, type Figures, type Row, type Suite } from '../suite';
import { createRun, runStep, startBenchWorld, STEP, type StepOf } from '../world';
import { doNothing } from '../senders';

const MEGABYTE = 1024 * 1024;
const SMALL = 1000;
const MOST_GROWTH_MB = 64;
const HTTP_REQUEST = 'HTTP Request';
const TELEGRAM = 'Telegram';
const NOTHING = 'a node that does nothing';

interface Transfer {
	/** The steps before the one that is measured, for a file of this size. */
	before: (bytes: number) => INode[];
	/** Bytes of the file. */
	size: number;
	/** The files' folder, which n8n may read. */
	folder: string;
	sink: Sink;
	ours: string;
	contestants: Map<string, StepOf>;
	/** Whether the sink must have been sent all of it. */
	isUpload: boolean;
}

/** Memory and time of each contestant, in a fresh n8n each. */
async function measure(transfer: Transfer, rounds: number): Promise<{ growth: Figures; time: Figures }> {
	const times = new Map<string, number[]>();
	const contestants = [...transfer.contestants].map(([name, step]): [string, () => Promise<number>] => [
		name,
		async () => {
			const env = { N8N_RESTRICT_FILE_ACCESS_TO: transfer.folder };
			const world = await startBenchWorld({ sink: transfer.sink, env });
			try {
				const run = async (bytes: number) => {
					transfer.sink.setFileSize(bytes);
					const id = await createRun(world, transfer.before(bytes), step(world));
					transfer.sink.taken();
					return await runStep(world, id);
				};
				// What n8n loads with the first execution is not the file's.
				await run(SMALL);
				const growth = await peakGrowth(world.n8n.pid, async () => {
					const { time } = await run(transfer.size);
					times.set(name, [...(times.get(name) ?? []), time / 1000]);
				});
				const { bytes } = transfer.sink.taken();
				if (transfer.isUpload && name !== NOTHING && bytes < transfer.size)
					throw new Error(`${name} uploaded ${bytes} of ${transfer.size} bytes`);
				return growth;
			} finally {
				await world.stop();
			}
		},
	]);
	return { growth: await interleaved(rounds, new Map(contestants)), time: times };
}

const limitRow = (what: string, growth: Figures, ours: string): Row => ({
	what,
	unit: 'MB',
	ours: middle(growth, ours),
	against: 'the limit',
	theirs: MOST_GROWTH_MB,
	reach: { atMost: 1 },
});

const sizeName = (bytes: number) =>
	bytes >= 1024 * MEGABYTE ? `${bytes / 1024 / MEGABYTE} GB` : `${bytes / MEGABYTE} MB`;

/** Sending a large file out of n8n's binary store. */
export const upload: Suite = {
	name: 'upload',
	title: 'Upload',
	how: "The file is read from disk into n8n's binary store first, which counts for the memory and not for the time; a node that does nothing in the same place shows how much that is. A fresh n8n for each figure, after the same run with a small file.",
	async run({ isTiny, rounds }) {
		const size = isTiny ? MEGABYTE : 1024 * MEGABYTE;
		const folder = await mkdtemp(join(tmpdir(), 'bench-'));
		const sink = await startSink();
		try {
			const pathOf = (bytes: number) => join(folder, `${bytes}.mp4`);
			for (const bytes of [SMALL, size]) {
				const file = await open(pathOf(bytes), 'w');
				await file.truncate(bytes);
				await file.close();
			}
			const ours = 'media:sendDocument';
			const before = (bytes: number) => [
				node('File', 'n8n-nodes-base.readWriteFile', { fileSelector: pathOf(bytes), options: {} }),
			];
			const contestants = new Map<string, StepOf>([
				[ours, sendDocument],
				[HTTP_REQUEST, httpRequestUpload],
				[TELEGRAM, telegramUpload],
				[NOTHING, doNothing],
			]);
			const figures = await measure(
				{ before, size, folder, sink, ours, contestants, isUpload: true },
				rounds,
			);
			const what = `upload of ${sizeName(size)}`;
			return [
				limitRow(`${what}: memory`, figures.growth, ours),
				...rowsOf(`${what}: memory`, 'MB', figures.growth, ours),
				...rowsOf(`${what}: time`, 's', figures.time, ours, { [TELEGRAM]: { atMost: 1 } }).filter(
					({ against }) => against !== NOTHING,
				),
			];
		} finally {
			await sink.stop();
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
			url: `${sink.origin}/api/v1/whatsapp/external/messages/send-document`,
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

/** Taking a large file into n8n's binary store. */
export const download: Suite = {
	name: 'download',
	title: 'Download',
	how: "Into n8n's binary store on disk; a fresh n8n for each figure, after the same run with a small file.",
	async run({ isTiny, rounds }) {
		const size = isTiny ? MEGABYTE : 1024 * MEGABYTE;
		const sink = await startSink();
		try {
			const ours = 'media:downloadFile';
			const contestants = new Map<string, StepOf>([
				[ours, downloadFile],
				[HTTP_REQUEST, httpRequestDownload],
			]);
			const figures = await measure(
				{ before: () => [], size, folder: tmpdir(), sink, ours, contestants, isUpload: false },
				rounds,
			);
			const what = `download of ${sizeName(size)}`;
			return [
				limitRow(`${what}: memory`, figures.growth, ours),
				...rowsOf(`${what}: memory`, 'MB', figures.growth, ours),
				...rowsOf(`${what}: time`, 's', figures.time, ours, { [HTTP_REQUEST]: { atMost: 1 } }),
			];
		} finally {
			await sink.stop();
		}
	},
};

const downloadFile: StepOf = ({ credentials }) =>
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
			url: `${sink.origin}/api/v1/whatsapp/external/media/file.mp4`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'messagingChannelApi',
			options: { response: { response: { responseFormat: 'file' } } },
		},
		{ typeVersion: 4.2, credentials: { messagingChannelApi: credentials.messagingChannelApi } },
	);
