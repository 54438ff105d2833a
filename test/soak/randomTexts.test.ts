import fc from 'fast-check';

import { parseMessage } from '../../nodes/MessagingChannel/api/message';
import { answerKeyOf, chatTagOf } from '../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import { questionsBefore } from '../../nodes/MessagingChannel/sendAndWait/inChat/questionLinks';
import type { Question } from '../../nodes/MessagingChannel/sendAndWait/question';
import { readReply } from '../../nodes/MessagingChannel/sendAndWait/readReply';

const CHAT = '905551112233@c.us';
const numRuns = 10_000;

test(`of ${numRuns} texts, an approval takes only its answers`, () => {
	const question: Question = {
		message: 'Ship it?',
		isAttributed: false,
		reply: { type: 'approval', approve: 'Approve', decline: 'Decline' },
	};
	const inChat = { code: 'K7F4', responders: [] };
	const answer = fc.constantFrom('Approve', 'Decline');
	const anyText = fc.oneof(
		fc.string({ unit: 'grapheme' }),
		fc.lorem(),
		fc.constantFrom('approve', 'Decline', 'prove', 'declined', 'Yes', 'no'),
		fc.tuple(fc.lorem({ maxCount: 1 }), answer).map((words) => words.join(' ')),
	);
	fc.assert(
		fc.property(anyText, (text) => {
			const letters = text
				.normalize('NFKC')
				.replace(/[^\p{L}\p{M}\p{N}]/gu, '')
				.toLowerCase();
			const value = { approve: { approved: true }, decline: { approved: false } }[letters];
			const reply = { messageId: '1', chat: CHAT, from: CHAT, text, sendersSince: [] };
			expect(readReply(question, inChat, reply)).toEqual(value);
		}),
		{ numRuns },
	);
});

test(`no question is found in ${numRuns} foreign texts, links and forwarded questions`, () => {
	const key = answerKeyOf({ apiKey: 'key' });
	const waitingUrl = 'https://n8n.example.com/base/webhook-waiting';
	const pattern = { waitingUrl, chatTags: [chatTagOf(key, CHAT)] };
	const linkOf = (execution: number, chatTag = chatTagOf(key, CHAT)) =>
		`${waitingUrl}/${execution}/0a1b-2c?chat=${chatTag}&run=0&signature=${'a'.repeat(64)}`;
	const reply = parseMessage({
		id: '2',
		type: 'chat',
		from_me: false,
		from: CHAT,
		timestamp: 2,
		body: 'Approve',
	});
	const found = ({ link, isForwarded, words }: { link: string; isForwarded: boolean; words: string }) => {
		const message = { id: '1', type: 'chat', from_me: !isForwarded, timestamp: 1, body: `${words} ${link}` };
		return questionsBefore([reply, parseMessage(message)], reply, pattern);
	};
	expect(found({ link: linkOf(7), isForwarded: false, words: 'Ship it?' })).toHaveLength(1);

	const parameter = fc.tuple(fc.constantFrom('chat', 'run', 'approved', 'x'), fc.string());
	const foreign = fc.oneof(
		fc.webUrl({ withQueryParameters: true, withFragments: true }),
		fc.webPath().map((path) => `${waitingUrl}${path}?chat=${pattern.chatTags.join()}&signature=x`),
		parameter.map(([name, value]) => `${waitingUrl}/7/0a1b?${name}=${encodeURIComponent(value)}&signature=x`),
		fc.string({ minLength: 1, maxLength: 22 }).map((forged) => linkOf(7, encodeURIComponent(forged))),
		fc.integer().map((number) => linkOf(7, chatTagOf(key, `${number}@c.us`))),
		fc.string(),
	);
	const message = fc.oneof(
		fc.record({ link: foreign, isForwarded: fc.constant(false), words: fc.lorem() }),
		fc.record({
			link: fc.nat().map((execution) => linkOf(execution)),
			isForwarded: fc.constant(true),
			words: fc.lorem(),
		}),
	);
	fc.assert(
		fc.property(message, (each) => expect(found(each)).toEqual([])),
		{ numRuns },
	);
});
