import type { INodeExecutionData } from 'n8n-workflow';

import type { Fault } from '../support/service/core/faults';
import { eventually } from '../support/poll';
import { CONTINUES, person, useEngine } from '../support/engine/engine';
import type { RunOptions } from '../support/engine/run';

const engine = useEngine();

const NAME = '1-photo.jpg';
const CONTENT = Buffer.from('hello image '.repeat(5000));

const seed = async (media: { mimetype: string; filename: string; base64: string }) =>
	await engine.service.control.seed({ messages: [{ chatId: `${person(1)}@c.us`, body: 'Look', media }] });

beforeEach(async () => {
	await seed({ mimetype: 'image/jpeg', filename: 'photo.jpg', base64: CONTENT.toString('base64') });
});

const download = async (more: Partial<RunOptions> = {}) =>
	await engine.run({
		operation: 'media:downloadFile',
		items: [{}],
		parameters: { filename: NAME },
		node: CONTINUES,
		...more,
	});

const spoil = async (fault: Fault) =>
	await engine.service.control.addFault({ operationId: 'media.downloadFile', ...fault });

const requests = async () => await engine.requests('media.downloadFile');

const file = (content = CONTENT, filename = NAME, mimetype = 'image/jpeg'): INodeExecutionData => ({
	json: { filename, mimetype, size: content.length },
	binary: {
		data: expect.objectContaining({ fileName: filename, data: content.toString('base64') }) as never,
	},
	pairedItem: { item: 0 },
});

const failed = (error: string, more: object = {}): INodeExecutionData[] => [
	{ json: expect.objectContaining({ error, ...more }) as never, pairedItem: { item: 0 } },
];

describe('a file', () => {
	test('that breaks off is requested again as a whole', async () => {
		await spoil({ kind: 'cut', times: 2 });

		const { output, clock } = await download();

		expect(output).toEqual([file()]);
		expect(clock.waits).toEqual([1000, 2000]);
		expect(await requests()).toHaveLength(3);
	});

	test('that stalls for a minute is requested again, and its connection is closed', async () => {
		await spoil({ kind: 'stall' });
		let files = 0;

		const { output, clock } = await download({ stalls: () => ++files === 1 });

		expect(output).toEqual([file()]);
		expect(clock.waits.at(-1)).toBe(1000);
		expect(clock.skippedMs).toBeGreaterThanOrEqual(60_000);
		const [stalled] = await eventually(requests, ([first]) => first?.finishedAt !== null);
		expect(stalled).toMatchObject({ fault: 'stall', status: null });
		expect(await requests()).toHaveLength(2);
	});

	test('that does not start is requested again', async () => {
		await spoil({ kind: 'delay', ms: 60_000 });
		let timeout: number | undefined;

		const { output } = await download({
			transport: async (options, send) => {
				if (timeout === undefined) {
					({ timeout } = options);
					options.timeout = 500;
				}
				return await send();
			},
		});

		expect(timeout).toBe(300_000);
		expect(output).toEqual([file()]);
		expect(await requests()).toHaveLength(2);
	});

	test('is requested uncompressed, because a truncated compressed file goes unnoticed', async () => {
		await spoil({ kind: 'half-gzip', times: 'always' });

		const { output } = await download({ options: { maxAttempts: 2 } });

		expect(output).toEqual(failed('The file does not have the expected length', { code: 'network_error' }));
		const headers = (await requests()).map((request) => request.headers);
		expect(headers).toMatchObject(
			Array(2).fill({ 'accept-encoding': 'identity', accept: expect.stringContaining('*/*') }),
		);
	});
});
