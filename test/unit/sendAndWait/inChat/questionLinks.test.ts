import type { IDataObject } from 'n8n-workflow';

import { parseMessage } from '../../../../nodes/MessagingChannel/api/message';
import { answerKeyOf, chatTagOf } from '../../../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import {
	isQuestionLink,
	isReply,
	questionsBefore as questionsBeforeMessage,
} from '../../../../nodes/MessagingChannel/sendAndWait/inChat/questionLinks';

const CHAT = '905551112233@c.us';
const key = answerKeyOf({ apiKey: 'key' });
const chatTag = chatTagOf(key, CHAT);
const waitingUrl = 'https://n8n.example.com/base/webhook-waiting';
const pattern = { waitingUrl, chatTags: [chatTag] };

const signature = 'a'.repeat(64);
const linkOf = (execution: number | string, more = '') =>
	`${waitingUrl}/${execution}/0a1b-2c?chat=${chatTag}&run=0${more}&signature=${signature}`;

let time = 1_700_000_000;
const message = (more: IDataObject): IDataObject => ({
	id: `${++time}`,
	type: 'chat',
	from_me: false,
	from: CHAT,
	timestamp: time,
	...more,
});
const asked = (link: string, more: IDataObject = {}) =>
	message({
		from_me: true,
		body: `Ship it?\n\nReply *Approve*.\n\nOr answer here: ${link}\n\nSent`,
		...more,
	});
const incoming = () => message({ body: 'Approve' });
/** The chat as the service lists it. */
const listed = (...messages: IDataObject[]) => messages.toReversed();
const questionsBefore = (messages: IDataObject[], reply: IDataObject, links: typeof pattern) =>
	questionsBeforeMessage(messages.map(parseMessage), parseMessage(reply), links);
const found = (messages: IDataObject[], reply: IDataObject) =>
	questionsBefore(messages, reply, pattern).map(({ link }) => link);

test('a question of the account before the message is found', () => {
	const question = asked(linkOf(7));
	const reply = incoming();
	expect(questionsBefore(listed(question, reply), reply, pattern)).toEqual([
		{ link: linkOf(7), askedAt: question.timestamp, sendersSince: [] },
	]);
});

test('who has written a text since is found', () => {
	const [file, first, own] = [
		message({ type: 'image', body: 'Approve' }),
		message({ body: 'Hm', from: 'ada' }),
		message({ body: 'Well?', from_me: true }),
	];
	const reply = incoming();
	const chat = listed(
		message({ body: 'Hello' }),
		asked(linkOf(7)),
		file,
		first,
		own,
		reply,
		message({ body: 'x' }),
	);
	expect(questionsBefore(chat, reply, pattern)[0]?.sendersSince).toEqual(['ada']);
});

test('a message that the service does not list yet has the questions of earlier seconds', () => {
	const reply = message({ body: 'Approve' });
	const earlier = asked(linkOf(7), { timestamp: Number(reply.timestamp) - 1 });
	const same = asked(linkOf(8), { timestamp: reply.timestamp });
	expect(found([same, earlier], reply)).toEqual([linkOf(7)]);
});

test('questions are found newest first, each once and where it was asked', () => {
	const questions = [asked(linkOf(0)), asked(linkOf(1))];
	const quoted = asked(linkOf(1));
	const reply = incoming();
	const chat = listed(...questions, message({ body: 'Hm' }), quoted, reply);
	const links = questionsBefore(chat, reply, pattern);
	expect(links.map(({ link }) => link)).toEqual([linkOf(1), linkOf(0)]);
	expect(links[0]).toMatchObject({ sendersSince: [CHAT] });
});

describe('no question is', () => {
	test.each<[string, IDataObject]>([
		['a link that the customer pasted', { from_me: false }],
		['a link in a message of unknown origin', { from_me: undefined }],
	])('%s', (_, more) => {
		const reply = incoming();
		expect(found(listed(asked(linkOf(7), more), reply), reply)).toEqual([]);
	});

	test('a question that was asked after the message', () => {
		const reply = incoming();
		expect(found(listed(reply, asked(linkOf(7))), reply)).toEqual([]);
	});

	test.each([
		['of another n8n with a URL of the same length', linkOf(7).replace('n8n.example', 'n9n.example')],
		['of an n8n whose URL begins alike', linkOf(7).replace('/webhook-waiting/', '/webhook-waiting-2/')],
		['of another scheme', linkOf(7).replace('https:', 'http:')],
		[
			'of a question without the option',
			`${waitingUrl}/7/0a1b-2c?approved=true&run=0&signature=${signature}`,
		],
		['of another chat', linkOf(7).replace(chatTag, chatTagOf(key, '905551112244@c.us'))],
		['of another account', linkOf(7).replace(chatTag, chatTagOf(answerKeyOf({ apiKey: 'other' }), CHAT))],
		['with the beginning of its tag', linkOf(7).replace(chatTag, chatTag.slice(0, 8))],
		['with two tags', linkOf(7, `&chat=${chatTag}`)],
		['with more in it', linkOf(7, '&approved=true')],
		['with a fragment', `${linkOf(7)}#x`],
		['that leads elsewhere', linkOf('../../rest/x')],
		['that leads elsewhere, encoded', linkOf('%2e%2e')],
		['that leads elsewhere at its end, encoded', linkOf(7).replace('0a1b-2c', '%2e%2e')],
		['with a deeper path', linkOf('7/8')],
		['with another user', linkOf(7).replace('https://', 'https://n8n.example.com@')],
		['without a signature', linkOf(7).replace(/&signature=.*/, '')],
	])('a link %s', (_, link) => {
		const reply = incoming();
		expect(found(listed(asked(link), reply), reply)).toEqual([]);
		expect(isQuestionLink(link, pattern)).toBe(false);
	});
});

test('the parameters of a link may come in any order, and a slash in one belongs to no path', () => {
	for (const query of [
		`run=0&signature=${signature}&chat=${chatTag}`,
		`chat=${chatTag}&run=0&signature=a/b`,
	]) {
		expect(isQuestionLink(`${waitingUrl}/7/0a1b-2c?${query}`, pattern)).toBe(true);
	}
});

test('somebody whom the service does not name has written, too', () => {
	const reply = incoming();
	const chat = listed(asked(linkOf(7)), message({ body: 'Hm', from: undefined }), reply);
	expect(questionsBefore(chat, reply, pattern)[0]?.sendersSince).toEqual(['']);
});

test.each<[boolean, IDataObject]>([
	[true, { type: 'chat', body: 'Hi' }],
	[true, { body: 'Hi' }],
	[true, { type: null, body: 'Hi' }],
	[false, { type: 'image', body: 'Hi' }],
	[false, { type: 'chat', body: '' }],
])('it is %s that %j can answer a question', (expected, given) => {
	expect(isReply(parseMessage(given))).toBe(expected);
	expect(isReply(parseMessage({ from_me: false, ...given }))).toBe(expected);
	for (const from_me of [true, 'unknown']) expect(isReply(parseMessage({ from_me, ...given }))).toBe(false);
});
