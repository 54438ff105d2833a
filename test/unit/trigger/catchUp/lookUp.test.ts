import type { IRun } from 'n8n-workflow';

import { lookUpIn, lookUpItem, notRunIn } from '../../../../nodes/MessagingChannel/trigger/catchUp/lookUp';

const run = (metadata?: Record<string, string>) =>
	({ data: { resultData: { metadata } } }) as unknown as IRun;

test('an item asks for messages, and no other item does', () => {
	expect(lookUpIn(lookUpItem(['1', '2']).json)).toEqual(['1', '2']);
	for (const json of [undefined, {}, { look_up_messages: 'all' }, { event: 'x', look_up_messages: ['1'] }])
		expect(lookUpIn(json)).toBeUndefined();
});

test('an answer counts only if it is about as many messages as were asked for', () => {
	const answer = Buffer.from([0b0000_0101, 0b1]).toString('base64');
	const missing = [true, false, true, ...Array<boolean>(5).fill(false), true];
	expect(notRunIn(run({ messages_not_run: answer }), 9)).toEqual(missing);
	expect(notRunIn(run({ messages_not_run: answer }), 8)).toBeUndefined();
	expect(notRunIn(run({ messages_not_run: '' }), 0)).toEqual([]);
	for (const nothing of [undefined, run(), run({})]) expect(notRunIn(nothing, 9)).toBeUndefined();
});
