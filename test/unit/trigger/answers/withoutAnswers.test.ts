import { handOverReplies } from '../../../../nodes/MessagingChannel/trigger/answers/handOverReplies';
import { triggerRunOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import type { IDataObject, INodeExecutionData, WorkflowExecuteMode } from 'n8n-workflow';

import { SECONDS } from '../deliveries';
import type { Response } from '../runOf';
import {
	CHAT,
	chatItem,
	CLOSED,
	FIRST,
	item,
	linkOf,
	NO_CREDENTIAL,
	NO_RESPONSE,
	OPEN,
	PAGE,
	question,
	REJECTS,
	SECOND,
	TAKEN,
	text,
	textFrom,
	useAnswers,
	type Page,
	type Trigger,
} from './answering';

const { newTrigger, waits } = useAnswers();

describe('a reply to a waiting question', () => {
	test('goes to the question, and does not start the workflow', async () => {
		const { run, asked, replies } = newTrigger();
		const group = '120363000000000000@g.us';
		const sent = { ...text(), from: '905551112299@c.us' };
		const link = linkOf(7, group);
		const inGroup = newTrigger({ pages: { [link]: PAGE } });

		expect(await run([item(text())])).toEqual([]);
		expect(await inGroup.run([item(sent, { chat: { id: group } })])).toEqual([]);

		const reply = { messageId: 'message-1', text: 'Approve', sendersSince: [] };
		expect(asked).toEqual([
			['check', FIRST],
			['take', FIRST],
		]);
		expect(replies[1]).toEqual({ ...reply, chat: CHAT, from: CHAT });
		expect(inGroup.replies[1]).toEqual({ ...reply, chat: group, from: sent.from });
	});

	test('is recognized when the event does not name its chat', async () => {
		const { run } = newTrigger();
		expect(await run([item(text(), { chat: undefined })])).toEqual([]);
	});

	test('is taken out of the messages of a chat', async () => {
		const { run } = newTrigger();
		const answer = text();
		const other = text({ id: 'message-2', body: 'And one more', type: 'image' });
		expect(await run([chatItem(answer, other)])).toEqual([chatItem(other)]);
		expect(await run([chatItem(other, answer)])).toEqual([chatItem(other)]);
		expect(await run([chatItem(answer)])).toEqual([]);
	});
});

describe('keywords', () => {
	const keywords = ['price'];

	test('count only for what is no answer', async () => {
		const { run } = newTrigger({ keywords });
		const [hello, price] = ['Hello', 'The price?'].map((body) => item(text({ body, type: 'image' })));
		const items = [item(text()), hello, price] as INodeExecutionData[];
		expect(await run(items)).toEqual([price]);
	});

	test('are wanted in one of the messages of a chat', async () => {
		const { run } = newTrigger({ keywords });
		const [hello, price] = ['Hello', 'The price?'].map((body) => text({ body, type: 'image' })) as [
			IDataObject,
			IDataObject,
		];
		expect(await run([chatItem(hello)])).toEqual([]);
		expect(await run([chatItem(hello, text(), price)])).toEqual([chatItem(hello, price)]);
	});

	test('are needed in other messages of a chat of which something is not understood', async () => {
		const { run, log } = newTrigger({ keywords, messagesOf: () => [text({ id: 'old', from_me: null })] });
		expect(await run([item(text())])).toEqual([]);
		expect(log).toEqual([]);
	});
});

describe('a reply with a value that a filter cannot read', () => {
	const parameters = { 'options.chatType': 'individual' };
	const odd = { chat: { id: CHAT, type: 2 } };
	const told = {
		json: { report: { message: expect.stringContaining("'chat.type'"), description: expect.any(String) } },
	};

	test('goes to its question', async () => {
		const { run } = newTrigger({ parameters });
		expect(await run([item(text(), odd)])).toEqual([]);
	});

	test('that no question takes starts nothing, which is told once an hour', async () => {
		const { run, log } = newTrigger({ parameters, pages: {} });
		const asked = [item(text(), odd)];
		expect([await run(asked), await run(asked)]).toEqual([[told], []]);
		expect(log).toEqual([]);
	});

	test('keeps no other event from its run, and is in the log then', async () => {
		const { run, log } = newTrigger({ parameters, pages: {} });
		const other = item(text({ id: 'message-2' }));
		expect(await run([other, item(text(), odd)])).toEqual([other]);
		expect(log).toEqual([expect.stringContaining("The service sends 'chat.type' in a form")]);
	});
});

describe('what may be an answer starts the workflow, with a keyword or without', () => {
	const notUnderstood = "The service sends 'message.from_me' in a form that is not understood: null";

	test.each<[string, Trigger, string[]]>([
		[
			'its chat cannot be read',
			{ messagesOf: () => undefined },
			['A message could not be checked for an answer, so it may start the workflow: '],
		],
		...[NO_RESPONSE, NO_CREDENTIAL].map((check): [string, Trigger, string[]] => [
			'a question does not respond',
			{ pages: { [FIRST]: { check } } },
			[
				'so a message that may answer it may start the workflow. Check that n8n reaches its own URL, past any proxy and its SSRF protection (N8N_SSRF_ALLOWED_HOSTNAMES), and that the credential of the question exists',
			],
		]),
		['several questions accept it, and it names none', { pages: { [FIRST]: PAGE, [SECOND]: PAGE } }, []],
		[
			'it is not known who asked it',
			{ messagesOf: () => [{ ...question(FIRST), from_me: null }] },
			[notUnderstood],
		],
		[
			'it is not known who asked one of them',
			{
				pages: { [SECOND]: { check: REJECTS } },
				messagesOf: () => [question(SECOND), { ...question(FIRST), from_me: null }],
			},
			[notUnderstood],
		],
	])('when %s, and the log says why', async (_, trigger, reasons) => {
		for (const keywords of [undefined, ['price']]) {
			const { run, log } = newTrigger({ keywords, ...trigger });
			const items = [item(text()), chatItem(text(), text({ id: 'message-2', type: 'image' }))];
			expect(await run(items)).toEqual(items);
			expect([...new Set(log)]).toEqual(reasons.map((reason) => expect.stringContaining(reason)));
		}
	});
});

describe('a reply whose question has the link', () => {
	const hidden = '123456789@lid';
	const toHidden = item(textFrom(hidden), { chat: { id: hidden } });
	const moved = FIRST.replace(/^.*waiting/, 'https://old.example.com/n8n/webhook-waiting');

	test.each([
		[
			'of a number that its chat hides',
			FIRST,
			toHidden,
			['price'],
			[toHidden],
			'names its chat only by an ID',
		],
		[
			'of another URL',
			moved,
			item(text()),
			undefined,
			[item(text())],
			'does not begin with the N8N_WEBHOOK_URL',
		],
		['of another URL', moved, item(text()), ['price'], [], 'does not begin with the N8N_WEBHOOK_URL'],
	])('%s is no answer, and the log says why', async (_, link, reply, keywords, left, reason) => {
		const { run, log, asked } = newTrigger({ keywords, messagesOf: () => [question(link)] });
		expect(await run([reply])).toEqual(left);
		expect(log).toEqual([expect.stringContaining(reason)]);
		expect(asked).toEqual([]);
	});

	test.each<[string, Page, string]>([
		['that n8n refuses', { statusCode: 401, body: { error: 'Invalid token' } }, 'which it signed itself'],
		['of a question that needs its author', { isOpen: true, needsAuthor: true }, "with 'Allowed Responders'"],
	])('%s is no answer, and the log says why', async (_, check, reason) => {
		const { run, log } = newTrigger({ keywords: ['price'], pages: { [FIRST]: { check } } });
		expect(await run([item(text())])).toEqual([]);
		expect(log).toEqual([expect.stringContaining(reason)]);
	});

	test.each<[string, Response, boolean]>([
		['is open', { statusCode: 200, body: '<html>' }, true],
		['does not respond', { statusCode: 502, body: 'Bad Gateway' }, true],
		['is over', { statusCode: 410, body: '<html>' }, false],
		['has ended with its execution', { statusCode: 409, body: { message: 'It has finished.' } }, false],
	])('of a number that its chat hides, whose page %s (%j), may be answered: %s', async (_, page, mayBe) => {
		const shown = { [FIRST]: page, [SECOND]: { statusCode: 410, body: '<html>' } };
		for (const links of [[FIRST], [SECOND, FIRST]]) {
			const messagesOf = () => links.map(question);
			const { run, log } = newTrigger({ keywords: ['price'], shown, messagesOf });
			expect(await run([toHidden])).toEqual(mayBe ? [toHidden] : []);
			expect(log).toHaveLength(mayBe ? 1 : 0);
		}
	});

	test('of a number that its chat hides is none to a question before the latest ten', async () => {
		const closed = Array.from({ length: 10 }, (_, number) => linkOf(20 + number));
		const page = (statusCode: number) => ({ statusCode, body: '<html>' });
		const shown = Object.fromEntries([...closed.map((link) => [link, page(410)]), [FIRST, page(200)]]);
		const messagesOf = () => [...closed, FIRST].map(question);
		expect(await newTrigger({ keywords: ['price'], shown, messagesOf }).run([toHidden])).toEqual([]);
	});

	test('of a number that cannot be looked up is like any other message', async () => {
		const run = triggerRunOf(newTrigger().runOf([toHidden]));
		const accountState = async () => await Promise.reject(new Error('The credential is gone'));
		expect(await handOverReplies({ ...run, accountState }, [toHidden])).toEqual([toHidden]);
	});

	test.each<[string, IDataObject[], string, string?]>([
		['of another chat, which somebody has forwarded', [question(linkOf(7, hidden))], CHAT],
		['of another chat, in one whose number is known', [question(FIRST)], hidden, '905551112299@c.us'],
		['of that, but was not the latest', [{ ...question('x'), body: 'Thank you' }, question(FIRST)], hidden],
		['in no message of a chat that hides its number', [], hidden],
	])('%s is like any other message', async (_, messages, id, phone = '') => {
		const { run, log, sharedRow } = newTrigger({ messagesOf: () => messages });
		const other = item(textFrom(id), { chat: { id, phone } });
		expect(await run([other])).toEqual([other]);
		expect(log).toEqual([]);
		// Only a number that is not known any more is a reason to ask the database.
		expect(sharedRow.calls > 0).toBe(id === hidden && !phone && messages.length > 0);
	});
});

describe('what starts the workflow', () => {
	test.each<[string, INodeExecutionData]>([
		['a message of the account', item(text({ from_me: true }))],
		['a file with a caption', item(text({ type: 'image' }))],
		['a message without an ID', item(text({ id: undefined }))],
		['a message without a text', item(text({ body: undefined }))],
		['a message of an unknown chat', item(text({ from: undefined }), { chat: {} })],
		['another event', item(text(), { event: 'message.status' })],
		['a message of the account among those of a chat', chatItem(text({ from_me: true }))],
	])('%s does, and is compared with no question', async (_, other) => {
		const { run, requests, log } = newTrigger();
		expect(await run([other])).toEqual([other]);
		await new Promise(setImmediate);
		expect(requests).toEqual([]);
		expect(log).toEqual([]);
		expect(await run([item(text()), other])).toEqual([other]);
	});

	test.each<[string, boolean | null, WorkflowExecuteMode]>([
		['the option is off', false, 'webhook'],
		['nobody has set the option', null, 'webhook'],
		['it is a test', true, 'manual'],
	])('every reply does when %s', async (_, takeAnswers, mode) => {
		const { run, requests } = newTrigger({ takeAnswers });
		const items = [item(text())];
		expect(await run(items, mode)).toEqual(items);
		expect(requests).toEqual([]);
	});
});

describe('a chat', () => {
	test('is read once for all its messages', async () => {
		const { run, requests } = newTrigger();
		const items = ['2', '3'].map((id) => item(text({ id, body: 'Hello', timestamp: SECONDS - 700 })));
		expect(await run(items)).toEqual(items);
		expect(requests).toHaveLength(1);
	});

	test('that does not respond keeps out no other, and the log says why after 70 seconds for all', async () => {
		const last = '905551112244@c.us';
		const chats = ['905550000001@c.us', '905550000002@c.us', last];
		const messagesOf = async (chat: string) =>
			chat === last ? [question(linkOf(9, last))] : await new Promise<never>(() => {});
		const items = chats.map((id) => item(textFrom(id), { chat: { id } }));
		const { run, log } = newTrigger({ pages: { [linkOf(9, last)]: PAGE }, messagesOf });
		const left = run(items);

		while (waits.length < chats.length) await new Promise(setImmediate);
		expect(waits.map(([ms]) => ms)).toEqual([70_000, 70_000, 70_000]);
		for (const [, end] of waits.slice(0, 2)) end();

		expect(await left).toEqual(items.slice(0, 2));
		expect(log[0]).toContain('There was no response in time');
	});
});

describe('when n8n does not respond at its own URL', () => {
	const ERROR = 'It is not known whether a waiting question took the message message-1 as its answer';
	const unknown = { check: OPEN, take: NO_RESPONSE };

	const image = text({ id: 'message-2', type: 'image' });
	test.each<[string, INodeExecutionData, INodeExecutionData[]]>([
		['only that reply', item(text()), [item(image)]],
		['the item of its chat', chatItem(text(), image), []],
	])('%s fails with On Error set to continue, and the log says why', async (_, failed, others) => {
		const { run, log } = newTrigger({ pages: { [FIRST]: unknown }, onError: 'continueRegularOutput' });
		expect(await run([failed, ...others])).toEqual([
			{ json: { ...failed.json, error: ERROR }, error: expect.objectContaining({ message: ERROR }) },
			...others,
		]);
		expect(log).toEqual([expect.stringContaining(`${ERROR}. n8n did not respond at its own URL`)]);
	});
});

describe('an execution that n8n runs again', () => {
	const first = item(text());
	const later = item(text({ id: 'message-2' }));

	test.each<[string, Page, string, INodeExecutionData[]]>([
		['drops a reply that a question has taken, and no other', TAKEN, FIRST, [later]],
		['starts the workflow with a reply that the question did not take', CLOSED, FIRST, [first, later]],
		['names the question, as the chat can have asked another one since', TAKEN, SECOND, [first, later]],
	])('%s', async (_, take, asked, left) => {
		const { run, pages } = newTrigger({ pages: { [FIRST]: { check: OPEN, take } } });
		await run([first]);
		delete pages[FIRST];
		pages[asked] = { check: CLOSED };
		expect(await run([first, later])).toEqual(left);
	});

	test.each<[string, Page, Page]>([
		['was taken', CLOSED, TAKEN],
		['is still open', OPEN, TAKEN],
	])('knows a question by a number that only the first one knew: it %s', async (_, check, take) => {
		const { run, pages, asked } = newTrigger({ pages: { [FIRST]: { check: OPEN, take: NO_RESPONSE } } });
		const hidden = { id: '123456789@lid' };
		const reply = (more: object) => item(textFrom(hidden.id), { chat: { ...hidden, ...more } });
		await expect(run([reply({ phone: CHAT })])).rejects.toThrow('It is not known whether');
		pages[FIRST] = { check, take };
		expect(await run([reply({})])).toEqual([]);
		expect(asked.at(-1)).toEqual([check === OPEN ? 'take' : 'check', FIRST]);
	});

	test('does without what is known when the database fails', async () => {
		const { run, pages, sharedRow } = newTrigger();
		sharedRow.isBroken = true;
		expect(await run([first])).toEqual([]);
		pages[FIRST] = { check: OPEN, take: CLOSED };
		expect(await run([first])).toEqual([first]);
		pages[FIRST] = { check: CLOSED };
		expect(await run([first])).toEqual([first]);
	});
});
