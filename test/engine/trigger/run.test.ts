import { eventually } from '../../support/poll';
import { useTrigger } from '../../support/engine/trigger';

const place = useTrigger();

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

	test('that is another one of the same message is put out, too', async () => {
		const trigger = await place.trigger();

		for (const event of ['message.sent', 'message.status']) {
			const items = [{ json: { event, event_id: event, message: { id: '1' } } }];
			expect(await trigger.execute(items, { id: event })).toEqual(items);
		}
	});
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
