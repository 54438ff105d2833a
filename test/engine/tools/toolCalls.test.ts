import type { IBinaryData } from 'n8n-workflow';

import { useBinaryStore } from '../../support/engine/binaryStore';
import { newExecution } from '../../support/engine/context';
import { person, useEngine } from '../../support/engine/engine';
import { newKeyRow } from '../../support/engine/keyRow';
import type { RunOptions } from '../../support/engine/run';
import { byPhone } from '../../support/operations/parameters';

const engine = useEngine();
const { loseSend } = engine;

/** A call of the node by an agent: n8n gives each call, and each try of one, a run index. */
const call = (message: string, options: Partial<RunOptions> = {}): RunOptions => ({
	items: [{ to: person(1), message }],
	node: { type: 'n8n-nodes-messaging-channel.messagingChannelTool' },
	...options,
});

test('what may have been sent is not sent again by the next try, though n8n counts that as another run', async () => {
	await loseSend('before');
	const first = await engine.run(call('Hello'));

	const second = await engine.run(call('Hello', { execution: first.execution, runIndex: 1 }));

	expect(first.error?.message).toContain('may have been sent');
	expect(second.error?.message).toContain('may have been sent');
	expect(await engine.requests('message.send')).toHaveLength(1);
});

test('what was found in the chat is put out again as sent', async () => {
	await loseSend('after');
	const first = await engine.run(call('Hello'));

	const second = await engine.run(call('Hello', { execution: first.execution, runIndex: 1 }));

	expect(first.output[0]?.json).toMatchObject({ body: 'Hello', verified: true });
	expect(second.output).toEqual([
		{
			json: { ...first.output[0]?.json, already_sent: true, outcome: 'already_sent' },
			pairedItem: { item: 0 },
		},
	]);
	expect(await engine.accepted()).toEqual(['Hello']);
});

test('the same message with another priority is not sent again', async () => {
	const { execution } = await engine.run(call('Hello', { options: { priority: 3 } }));

	await engine.run(call('Hello', { options: { priority: 1 }, execution, runIndex: 1 }));

	expect(await engine.accepted()).toEqual(['Hello']);
});

test.each([
	['Tool', ['VIP'], 'Old friend', { plan: 'premium' }],
	['', [], '', {}],
])(
	'what a model leaves empty is not changed, in contrast to an expression: %j',
	async (suffix, tags, notes, custom_fields) => {
		await engine.service.control.seed({
			contacts: [
				{ phone: person(1), tags: ['VIP'], notes: 'Old friend', custom_fields: { plan: 'premium' } },
			],
		});
		const { output } = await engine.run({
			operation: 'contact:update',
			items: [{ name: 'Ada', tags: '[]', notes: '', custom: '{}' }],
			parameters: {
				phone: byPhone(`+${person(1)}`),
				updateFields: {
					name: '={{ $json.name }}',
					tags: '={{ $json.tags }}',
					notes: '={{ $json.notes }}',
					customFields: '={{ $json.custom }}',
				},
			},
			node: { type: `n8n-nodes-messaging-channel.messagingChannel${suffix}` },
		});

		expect(output[0]?.json).toMatchObject({ name: 'Ada', tags, notes });
		expect(output[0]?.json.custom_fields).toEqual(custom_fields);
	},
);

test.each(['', '[]'])('a model that names no tags (%j) gets all contacts', async (tags) => {
	await engine.service.control.seed({ contacts: [{ phone: person(1) }] });
	const { output } = await engine.run({
		operation: 'contact:getAll',
		items: [{ tags }],
		parameters: { filters: { tags: '={{ $json.tags }}' } },
		node: { type: 'n8n-nodes-messaging-channel.messagingChannelTool' },
	});

	expect(output.map(({ json }) => json.phone)).toEqual([person(1)]);
});

test('of two calls at once, the second does not send what the first may have sent', async () => {
	const sticker: Partial<RunOptions> = {
		operation: 'media:sendSticker',
		parameters: {
			to: byPhone(person(1)),
			mediaSource: 'url',
			mediaUrl: 'https://example.com/one.webp',
		},
		execution: newExecution(),
	};
	const lost = { kind: 'reset', when: 'after', operationId: 'media.sendSticker' } as const;
	await engine.service.control.addFault(lost);

	const both = await Promise.all(
		[0, 1].map(async (runIndex) => await engine.run(call('Hello', { ...sticker, runIndex }))),
	);

	for (const { error } of both) expect(error?.message).toContain('may have been sent');
	// The chat could not show which of its stickers is this one, so nobody looks.
	expect((await engine.requests()).map(({ operationId }) => operationId)).toEqual(['media.sendSticker']);
});

const chart = { mimeType: 'image/png', fileName: 'chart.png' };

describe('two files with the same name are two messages of an agent', () => {
	const store = useBinaryStore();
	const send = (file: IBinaryData): RunOptions =>
		call('', {
			operation: 'media:sendImage',
			binary: { data: file },
			parameters: { to: byPhone(person(1)) },
		});

	test.each<[string, (content: string) => Promise<IBinaryData>]>([
		['in the item', async (content) => await Promise.resolve({ ...chart, data: btoa(content) })],
		['in the store', async (content) => ({ ...(await store.keep(Buffer.from(content))), ...chart })],
	])('%s', async (_, keep) => {
		const first = await keep('sales');
		const { execution } = await engine.run(send(first));

		const again = await engine.run({ ...send(first), execution });
		const other = await engine.run({ ...send(await keep('costs')), execution });

		expect(again.output[0]?.json.already_sent).toBe(true);
		expect(other.output[0]?.json.already_sent).toBeUndefined();
		expect(await engine.requests('media.sendImage')).toHaveLength(2);
	});

	test('but not a file from a webhook, which n8n moves to the folder of its execution at the end', async () => {
		const file = { ...(await store.keep(Buffer.from('sales'))), ...chart };
		const { execution } = await engine.run(send(file));
		const moved = { ...file, id: file.id?.replace('/executions/1/', '/executions/2/') };

		const again = await engine.run({ ...send(moved), execution, mode: 'retry' });

		expect(moved.id).not.toBe(file.id);
		expect(again.output[0]?.json.already_sent).toBe(true);
		expect(await engine.requests('media.sendImage')).toHaveLength(1);
	});
});

test.each(['manual', 'retry'] as const)(
	'the same message of calls that begin at the same moment is sent once in mode %s',
	async (mode) => {
		const execution = newExecution();
		const row = newKeyRow();

		await Promise.all(
			[0, 0, 1].map(async (runIndex) => await engine.run(call('Hello', { execution, row, mode, runIndex }))),
		);

		expect(await engine.accepted()).toEqual(['Hello']);
	},
);
