import type { INodeParameters } from 'n8n-workflow';

import { answerKeyOf, answerTagOf } from '../../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import { requireAnswerReceiver } from '../../../nodes/MessagingChannel/sendAndWait/inChat/answerReceivers';
import { subscribersIn } from '../../../nodes/MessagingChannel/webhook/sharedUrl';
import { useTrigger } from '../../support/engine/trigger';

const place = useTrigger();

const create = async (options: INodeParameters = {}, more: INodeParameters = {}) =>
	await place.trigger({ parameters: { events: ['message.received'], options, ...more } });
const TAKES = { takeAnswers: true };
const tags = async () => {
	const { config, secret } = await place.service.control.webhook();
	return subscribersIn(config?.url ?? '', secret)?.subscribers.map(({ answerTag }) => answerTag);
};
const tag = () => answerTagOf(answerKeyOf({ apiKey: place.service.apiKey }));

test('a trigger that takes answers says so in the webhook, for its API key', async () => {
	const trigger = await create(TAKES);
	await trigger.activate();

	expect(await tags()).toEqual([tag()]);
	const { config } = await place.service.control.webhook();
	expect(config?.url).not.toContain(place.service.apiKey);
	expect((await place.deliver()).status).toBe(200);
	expect(trigger.taken).toHaveLength(1);

	await trigger.deactivate();
	expect((await place.service.control.webhook()).config?.is_active).toBe(false);
});

test.each<[string, INodeParameters, INodeParameters]>([
	['without the option', {}, {}],
	['that gets no messages', TAKES, { events: ['message.status'] }],
])('a trigger %s does not, and a question says what it lacks', async (_, options, more) => {
	await (await create(options, more)).activate();

	expect(await tags()).toBeUndefined();
	const webhook = (await place.service.control.webhook()).config;
	const call = jest.fn(async () => await Promise.resolve({ success: true, data: webhook }));
	await expect(requireAnswerReceiver({ call } as never, tag(), place.n8nUrl)).rejects.toMatchObject({
		description: expect.stringMatching(/'Take Answers' .* whose 'Events' include 'Message Received'/),
	});
});

test('a test takes no answers', async () => {
	await (await create(TAKES)).activate('manual');

	expect(await tags()).toEqual([undefined]);
});

/** Whether a question of this API key is asked, without a webhook. */
const takes = async (apiKey: string) => {
	const call = jest.fn(async () => await Promise.resolve({ success: true, data: null }));
	const key = answerKeyOf({ apiKey });
	return await requireAnswerReceiver({ call } as never, answerTagOf(key), place.n8nUrl).then(
		() => true,
		() => false,
	);
};

test('a trigger that polls takes the answers until n8n ends it, also after the API key was changed in its credential', async () => {
	const trigger = await create(TAKES, { listen: 'poll' });
	const end = await trigger.watch();
	await new Promise(setImmediate);
	const { apiKey } = await place.service.control.createKey({ permissions: ['messages:read'] });
	const before = [await takes(place.service.apiKey), await takes(apiKey)];

	trigger.credential.apiKey = apiKey;
	const after = [await takes(place.service.apiKey), await takes(apiKey)];
	await end();

	expect([before, after, await takes(apiKey)]).toEqual([[true, false], [false, true], false]);
});

test('a trigger that polls takes none if it could not be published', async () => {
	const trigger = await create(TAKES, { listen: 'poll', events: ['message.received', 'message.sent'] });
	await expect(trigger.activate()).rejects.toThrow('Polling finds only received messages');

	const end = await trigger.watch();
	await new Promise(setImmediate);
	const isTaken = await takes(place.service.apiKey);
	await end();

	expect(isTaken).toBe(false);
});
