import type { INodeParameters } from 'n8n-workflow';

import { messageBody, textsOf, useTrigger } from '../../support/engine/trigger';

const place = useTrigger();
const OK = { status: 200, responseBody: '' };

const listen = async (options: INodeParameters = {}) => {
	const events = ['message.received', 'message.sent', 'message.status'];
	const trigger = await place.trigger({
		parameters: { events, options: { keywords: ['price'], ...options } },
	});
	await trigger.activate();
	return trigger;
};

/** Delivers texts at the same moment. */
const deliver = async (...texts: string[]) => {
	const sent = texts.map(async (body) => await place.deliver({ body: messageBody({ body }) }));
	expect(await Promise.all(sent)).toMatchObject(texts.map(() => OK));
};

test('a message without a keyword is answered and starts nothing', async () => {
	const trigger = await listen({ keywords: ['price', 'good morning'] });

	await deliver('Hello', 'The PRICE?', 'prices', 'Good  morning');

	expect(textsOf(trigger.taken).sort()).toEqual(['Good  morning', 'The PRICE?']);
	expect(trigger.log).toEqual([]);
});

test('the messages of a chat go together if one has a keyword, and start nothing if none has', async () => {
	const trigger = await listen({ combineEvents: 'perChat', silence: 0.2 });

	await deliver('Hello', 'Anybody there?');
	expect(trigger.taken).toEqual([]);
	await deliver('Hello', 'The price?');

	expect(trigger.taken.map(({ json }) => String(json.text).split('\n').sort())).toEqual([
		['Hello', 'The price?'],
	]);
	expect(await trigger.execute(trigger.taken)).toEqual(trigger.taken);
});

test.each([{}, { takeAnswers: true }, { combineEvents: 'perChat', silence: 10 }])(
	'a test waits for a keyword, with %j',
	async (options) => {
		const parameters = { events: ['message.received'], options: { keywords: ['price'], ...options } };
		const trigger = await place.trigger({ parameters });
		await trigger.activate('manual');

		await deliver('Hello');
		expect(trigger.taken).toEqual([]);
		await deliver('The price?');

		expect(trigger.taken).toHaveLength(1);
		expect(await trigger.execute(trigger.taken, { mode: 'manual' })).toEqual(trigger.taken);
	},
);

describe('with Take Answers', () => {
	const take = async (options: INodeParameters) => await listen({ takeAnswers: true, ...options });

	test.each([{}, { chats: '905559998877' }, { chatType: 'group' }, { messageTypes: 'image' }])(
		'each text starts an execution, as it can be an answer, and %j counts only there',
		async (options) => {
			const trigger = await take(options);

			await deliver('Approve');
			await place.deliver({ body: messageBody({ type: 'sticker', body: '' }) });
			await place.deliver({ body: messageBody({ body: 'Approve', from_me: true }) });

			expect(textsOf(trigger.taken)).toEqual(['Approve']);
			expect(await trigger.execute(trigger.taken)).toEqual([]);
		},
	);

	test('the texts of a chat go together, without those that another filter drops', async () => {
		const trigger = await take({ combineEvents: 'perChat', silence: 0.2, messageTypes: 'chat' });

		await deliver('Hello', 'The price?');
		const [item] = trigger.taken;

		expect(await trigger.execute(trigger.taken)).toEqual([item]);
		trigger.node.parameters.options = { takeAnswers: true, combineEvents: 'perChat', messageTypes: 'image' };
		expect(await trigger.execute(trigger.taken)).toEqual([]);
	});
});
