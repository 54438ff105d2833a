import { person, useEngine } from '../support/engine/engine';

const engine = useEngine();

const accepted = async () => (await engine.requests()).map(({ headers }) => headers.accept);

const photo = { data: Buffer.from('a cat').toString('base64'), mimeType: 'image/png', fileName: 'cat.png' };

test('JSON is asked for, also by an upload', async () => {
	await engine.run({ operation: 'account:get', items: [{}] });
	await engine.run({
		operation: 'media:sendImage',
		items: [{}],
		binary: { data: photo },
		parameters: {
			to: { __rl: true, mode: 'phone', value: person(1) },
			mediaSource: 'binary',
			binaryPropertyName: 'data',
		},
	});

	expect(await accepted()).toEqual(['application/json', 'application/json']);
});

test('a download accepts any file', async () => {
	await engine.run({
		operation: 'media:downloadFromMessage',
		items: [{}],
		parameters: { messageId: 'none' },
	});

	expect(await accepted()).toEqual([expect.stringContaining('*/*')]);
});
