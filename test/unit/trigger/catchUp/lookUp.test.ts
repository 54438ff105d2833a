import type { IRun } from 'n8n-workflow';

import { answerIn, lookUpIn, lookUpItem } from '../../../../nodes/MessagingChannel/trigger/catchUp/lookUp';

const run = (metadata?: Record<string, string>) =>
	({ data: { resultData: { metadata } } }) as unknown as IRun;
const asking = (count: number) => ({
	messageIds: Array.from({ length: count }, (_, index) => `${index}`),
	since: 1,
	startedAt: 2,
	askedAt: 3,
});

test('an item asks for messages, and no other item does', () => {
	expect(lookUpIn(lookUpItem(asking(2)).json)).toEqual(asking(2));
	for (const json of [undefined, {}, { look_up_messages: 'all' }, { event_id: 'x', look_up_messages: ['1'] }])
		expect(lookUpIn(json)).toBeUndefined();
});

test('an answer counts only if it is about as many messages as were asked for', () => {
	const messages_not_run = Buffer.from([0b0000_0101, 0b1]).toString('base64');
	const answer = { messages_not_run, reach: '17 18' };
	const isMissing = [true, false, true, ...Array<boolean>(5).fill(false), true];
	const history = { knownSince: 17, quietSince: 18 };
	expect(answerIn(run(answer), asking(9))).toEqual({ isMissing, history });
	expect(answerIn(run(answer), asking(8))).toBeUndefined();
	expect(answerIn(run({ messages_not_run: '', reach: '17 18' }), asking(0))).toEqual({
		isMissing: [],
		history,
	});
	for (const nothing of [
		undefined,
		run(),
		run({}),
		run({ messages_not_run }),
		run({ reach: answer.reach }),
		run({ ...answer, reach: '17' }),
	])
		expect(answerIn(nothing, asking(9))).toBeUndefined();
});
