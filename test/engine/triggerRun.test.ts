import type { INodeExecutionData } from 'n8n-workflow';

import { lookUpItem } from '../../nodes/MessagingChannel/trigger/catchUp/lookUp';
import { eventually } from '../support/poll';
import { messageBody, useTrigger } from '../support/engine/trigger';

const place = useTrigger();

const item = (event_id: string): INodeExecutionData => ({ json: { event: 'message.received', event_id } });

describe('an event', () => {
	test('that n8n took here is put out, and remembered as done', async () => {
		const trigger = await place.trigger();
		await trigger.activate();
		await place.deliver({ eventId: 'event' });

		expect(await trigger.execute(trigger.taken)).toEqual(trigger.taken);

		const isRunning = () => trigger.row.keys.some((key) => key.startsWith('open '));
		expect(trigger.row.keys).toEqual(expect.arrayContaining(['known id event', 'open id event']));
		await eventually(isRunning, (is) => !is);
		expect(trigger.row.keys).toContain('known id event');
	});

	test('that another process took is put out once, however many executions it has', async () => {
		const trigger = await place.trigger();

		expect(await trigger.execute([item('event')], { id: '1' })).toEqual([item('event')]);
		expect(await trigger.execute([item('event')], { id: '2' })).toEqual([]);
		expect(await trigger.execute([item('other')], { id: '3' })).toEqual([item('other')]);
	});

	test('is put out again when n8n runs the node again in one execution', async () => {
		const trigger = await place.trigger();

		await trigger.execute([item('event')], { id: '1' });

		expect(await trigger.execute([item('event')], { id: '1' })).toEqual([item('event')]);
	});

	test('that is another one of the same message is put out, too', async () => {
		const trigger = await place.trigger();

		for (const event of ['message.sent', 'message.status']) {
			const items = [{ json: { event, event_id: event, message: { id: '1' } } }];
			expect(await trigger.execute(items, { id: event })).toEqual(items);
		}
	});

	test('that is no received message leaves nothing where it is kept which messages ran', async () => {
		const trigger = await place.trigger();
		const received = { event: 'message.received', event_id: '1', message: { id: 'received' } };
		const events = [{ event: 'message.status', event_id: '2', message: { id: 'sent' } }, received];

		for (const json of events) await trigger.execute([{ json }], { id: json.event_id });

		const isOfMessage = (key: string) => key.startsWith('ran ');
		const { keys } = await eventually(
			() => trigger.workflowRow,
			(row) => row.keys.includes('ran node received'),
		);
		expect(keys.filter(isOfMessage)).toEqual(['ran node received']);
	});

	test('that an earlier process was done with is put out no more', async () => {
		const trigger = await place.trigger();
		trigger.row.keys = ['known id event'];

		expect(await trigger.execute([item('event')])).toEqual([]);
		expect(await trigger.execute([item('event'), item('fresh')])).toEqual([item('fresh')]);
	});

	test('that earlier processes looked up, and were killed, is put out', async () => {
		const keys: string[] = [];
		for (const id of ['1', '2', '3']) {
			const trigger = await place.trigger();
			await trigger.activate();
			trigger.row.keys = [...keys];
			await place.deliver({ eventId: 'event', body: messageBody({ id: 'killed' }) });

			expect(await trigger.execute(trigger.taken, { id })).toEqual(trigger.taken);

			keys.splice(0, keys.length, ...trigger.row.keys);
			expect(keys).toContain('open message killed');
		}
	});

	test('that came under a new ID is put out no more, because its message ran in an earlier process', async () => {
		const trigger = await place.trigger();
		trigger.row.keys = ['known message 1'];
		const { json } = item('captured');

		expect(await trigger.execute([{ json: { ...json, message: { id: '1' } } }])).toEqual([]);
	});

	test('is put out when the database cannot be asked, and the log says so', async () => {
		const trigger = await place.trigger();
		trigger.row.isBroken = true;

		expect(await trigger.execute([item('event')])).toEqual([item('event')]);

		expect(trigger.log).toEqual([
			expect.stringMatching(
				/^Listens in workflow workflow-\d+: The database could not be checked for duplicates of an event, so the event counts as new$/,
			),
		]);
	});
});

describe('an execution that looks up which messages ran puts nothing out', () => {
	const items = [lookUpItem({ messageIds: ['1'], since: 0, startedAt: 0, askedAt: 0 })];

	test.each(['retry', 'manual'] as const)('when it runs again (%s)', async (mode) => {
		const trigger = await place.trigger();
		trigger.workflowRow.isBroken = true;

		expect(await trigger.execute(items, { mode })).toEqual([]);
	});

	test('when the database fails and the node goes on after errors', async () => {
		const trigger = await place.trigger({ node: { onError: 'continueRegularOutput' } });
		trigger.workflowRow.isBroken = true;

		expect(await trigger.execute(items, { mode: 'trigger' })).toEqual([]);
	});

	test('when the database fails, and the execution fails, too', async () => {
		const trigger = await place.trigger();
		trigger.workflowRow.isBroken = true;

		await expect(trigger.execute(items, { mode: 'trigger' })).rejects.toThrow();
	});
});

describe('an execution that tells of events that cannot be verified', () => {
	const items = [{ json: { unverified_since: '2030-01-31T09:00:00.000Z' } }];

	test.each(['webhook', 'retry'] as const)('fails and says what to do (%s)', async (mode) => {
		const trigger = await place.trigger();

		await expect(trigger.execute(items, { mode })).rejects.toMatchObject({
			name: 'NodeOperationError',
			message:
				"Events are rejected because the 'Signing Secret' in the credential does not match their signature",
			description:
				'No event has been verified since 2030-01-31T09:00:00.000Z. The secret was probably rotated. If another credential for this account still works, select it in this node. Otherwise, run Webhook > Rotate Secret and paste the new secret into every credential for this account. If events still start this workflow, someone else sent the rejected requests, and you can ignore this message. It appears at most once an hour.',
		});
		expect(trigger.row.calls).toBe(0);
	});

	test('ends where the node goes on after errors', async () => {
		const trigger = await place.trigger({ node: { onError: 'continueRegularOutput' } });

		expect(await trigger.execute(items)).toEqual([]);
		expect(trigger.log).toEqual([
			expect.stringMatching(/^Listens: Events are rejected because .* Otherwise, run/),
		]);
	});

	test('goes to the error output, where the node has one', async () => {
		const trigger = await place.trigger({ node: { onError: 'continueErrorOutput' } });

		const output = await trigger.execute(items);

		// n8n takes what has an `error` to the error output.
		expect(output).toMatchObject([
			{ json: { ...items[0]?.json, error: expect.stringContaining('Events are rejected') }, error: {} },
		]);
	});

	test('is none that an event could be taken for', async () => {
		const trigger = await place.trigger();
		const event = { json: { ...items[0]?.json, event_id: 'event' } };

		expect(await trigger.execute([event])).toEqual([event]);
	});
});

test.each(['manual', 'retry'] as const)(
	'somebody who wants it to run (%s) gets it every time',
	async (mode) => {
		const trigger = await place.trigger();

		for (const id of ['1', '2']) {
			expect(await trigger.execute([item('event')], { mode, id })).toEqual([item('event')]);
		}
		expect(trigger.row.calls).toBe(0);
	},
);

test('what is no delivery is put out every time', async () => {
	const trigger = await place.trigger();
	const other = { json: { event_id: 1 } };

	for (const id of ['1', '2']) expect(await trigger.execute([other], { id })).toEqual([other]);
	expect(await trigger.execute([], { id: '3' })).toEqual([]);
});

describe('media', () => {
	const media = {
		mimetype: 'image/png',
		filename: 'cat.png',
		base64: Buffer.from('a cat').toString('base64'),
	};
	const incoming = async (downloadMedia: boolean | string | undefined, message: object = { media }) => {
		const options = downloadMedia === undefined ? {} : { downloadMedia };
		const trigger = await place.trigger({ parameters: { events: ['message.received'], options } });
		await trigger.activate();
		await place.service.control.incomingMessage({ from: '905551112233', ...message });
		await place.service.control.idle();
		await place.service.control.clearRequests();
		return trigger;
	};
	const requests = async () => await place.service.control.requests();

	test('are attached where the panel says so', async () => {
		const trigger = await incoming(true);

		const [output] = await trigger.execute(trigger.taken);

		expect(output?.json).toEqual(trigger.taken[0]?.json);
		expect(Object.keys(output?.binary ?? {})).toEqual(['data']);
		expect(output?.binary?.data).toMatchObject({
			fileName: expect.stringContaining('cat.png'),
			mimeType: 'image/png',
			data: media.base64,
		});
		const message = trigger.taken[0]?.json.message as { id: string };
		expect((await requests()).map(({ path }) => decodeURIComponent(path))).toEqual([
			expect.stringContaining(message.id),
		]);
	});

	test.each<[string, object | null, string]>([
		['of the response', { filename: 'other.png' }, '1-cat.png'],
		['of the event', { filename: '../5-dog.png' }, '5-dog.png'],
		['made of the type', null, 'file.png'],
	])('have the name %s', async (place_, named, expected) => {
		const trigger = await incoming(true);
		if (place_ === 'of the response') await place.service.control.configure({ namesFiles: true });
		const json = trigger.taken[0]?.json;
		const message = { ...(json?.message as object), media: named };

		const [output] = await trigger.execute([{ json: { ...json, message } as never }]);

		expect(output?.binary?.data).toMatchObject({ fileName: expected, data: media.base64 });
	});

	test.each([false, undefined])('are left alone where it does not (%s)', async (downloadMedia) => {
		const trigger = await incoming(downloadMedia);

		expect(await trigger.execute(trigger.taken)).toEqual(trigger.taken);
		expect(await requests()).toEqual([]);
	});

	test('are attached to the item that has some, and no other', async () => {
		const trigger = await incoming(true);
		const other = { json: { message: { id: 'other', has_media: false } } };

		const output = await trigger.execute([...trigger.taken, other]);

		expect(output.map(({ binary }) => binary?.data?.data)).toEqual([media.base64, undefined]);
		expect(output[1]).toEqual(other);
	});

	test('are attached to the items of which the expression of the panel says so', async () => {
		const downloadMedia = '={{ $json.message.type === "image" }}';
		const trigger = await incoming(downloadMedia);
		const [image] = trigger.taken;
		const { message } = image?.json as { message: object };
		const video = { json: { message: { ...message, type: 'video' } } };

		const output = await trigger.execute([video, ...trigger.taken], { mode: 'manual' });

		expect(output.map(({ binary }) => binary?.data?.data)).toEqual([undefined, media.base64]);
	});

	test('are no reason to read the credential where there are none', async () => {
		const trigger = await incoming(true, { body: 'Hello' });
		const read = jest.fn();
		Object.defineProperty(trigger, 'credential', { get: read });

		expect(await trigger.execute(trigger.taken)).toEqual(trigger.taken);

		expect(read).not.toHaveBeenCalled();
	});

	test('are not asked for again with each status of the message', async () => {
		const trigger = await incoming(true);
		const message = { id: 'sent', has_media: true };
		const events = ['message.status', 'message.delivered', 'message.read'];
		const items = events.map((event) => ({ json: { event, event_id: event, message } }));

		expect(await trigger.execute(items)).toEqual(items);

		expect(await requests()).toEqual([]);
	});

	test('are asked for only where a message has some', async () => {
		const trigger = await incoming(true, { body: 'Hello' });

		expect(await trigger.execute(trigger.taken)).toEqual(trigger.taken);
		for (const message of [null, 'text', undefined, { has_media: 'false' }]) {
			const odd = { json: { message } } as INodeExecutionData;
			expect(await trigger.execute([odd])).toEqual([odd]);
		}
		expect(await requests()).toEqual([]);
	});

	test('that only some of the items have are attached to these', async () => {
		const trigger = await incoming(true);
		const plain = { json: { message: { id: 'plain', has_media: false } } };

		const output = await trigger.execute([plain, ...trigger.taken], { mode: 'manual' });

		expect(output.map(({ binary }) => binary !== undefined)).toEqual([false, true]);
	});

	test('that cannot be had leave the item, with the reason', async () => {
		const trigger = await incoming(true);
		await place.service.control.addFault({ kind: 'status', status: 404, times: 'always' });

		const [output] = await trigger.execute(trigger.taken);

		expect(output?.binary).toBeUndefined();
		expect(output?.json).toMatchObject({
			...trigger.taken[0]?.json,
			media_error: { httpStatus: 404, error: expect.any(String), description: expect.any(String) },
		});
	});

	test('that come too late for the rate limit leave the item, without advice about an option of another node', async () => {
		const trigger = await incoming(true);
		const headers = { 'Retry-After': '600', 'X-RateLimit-Reset': '', 'X-RateLimit-Remaining': '' };
		await place.service.control.addFault({ kind: 'status', status: 503, headers });

		const [output] = await trigger.execute(trigger.taken);

		const { description } = output?.json.media_error as { description: string };
		expect(description).toMatch(
			/The service asked to wait until \S+Z, which is longer than this request may wait\.$/,
		);
	});

	test('of an account that is not to be reached leave the item, with the reason', async () => {
		const trigger = await incoming(true);
		trigger.credential.baseUrl = 'no address';

		const [output] = await trigger.execute(trigger.taken);

		expect(output?.json.media_error).toMatchObject({ error: expect.stringContaining('Base URL') });
	});
});
