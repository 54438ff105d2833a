import type { IRun } from 'n8n-workflow';

import { answerIn, lookUpIn, lookUpItem } from '../../../../nodes/MessagingChannel/trigger/catchUp/lookUp';

const run = (metadata?: Record<string, string>) =>
	({ data: { resultData: { metadata } } }) as unknown as IRun;

test('an item asks for messages, and no other item does', () => {
	expect(lookUpIn(lookUpItem(['0', '1']).json)).toEqual(['0', '1']);
	for (const json of [undefined, {}, { look_up_messages: 'all' }, { event_id: 'x', look_up_messages: ['1'] }])
		expect(lookUpIn(json)).toBeUndefined();
});

test('an answer counts only if it is about as many messages as were asked for', () => {
	const messages_not_run = Buffer.from([0b0000_0101, 0b1]).toString('base64');
	const answer = { messages_not_run, known_since: '17' };
	const isMissing = [true, false, true, ...Array<boolean>(5).fill(false), true];
	expect(answerIn(run(answer), 9)).toEqual({ isMissing, knownSince: 17 });
	expect(answerIn(run(answer), 8)).toBeUndefined();
	expect(answerIn(run({ messages_not_run: '', known_since: '17' }), 0)).toEqual({
		isMissing: [],
		knownSince: 17,
	});
	for (const nothing of [
		undefined,
		run(),
		run({}),
		run({ messages_not_run }),
		run({ known_since: answer.known_since }),
	])
		expect(answerIn(nothing, 9)).toBeUndefined();
});
