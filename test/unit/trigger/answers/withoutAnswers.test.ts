import type { IDataObject, IHttpRequestOptions, INodeExecutionData, WorkflowExecuteMode } from 'n8n-workflow';

import { withoutAnswers } from '../../../../nodes/MessagingChannel/trigger/answers/withoutAnswers';
import {
	answerKeyOf,
	chatTagOf,
	codeWordOf,
} from '../../../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import {
	ANSWER_HEADER,
	readAnswerRequest,
	type AnswerResponse,
} from '../../../../nodes/MessagingChannel/sendAndWait/inChat/protocol';
import { triggerRunOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { replaceTriggerClock } from '../../../support/engine/triggerClock';
import { NOW, SECONDS } from '../deliveries';
import { API_KEY, newNode, WAITING_URL, type Response } from '../runOf';

const CHAT = '905551112233@c.us';
const OTHER_CHAT = '905551112244@c.us';
const key = answerKeyOf({ apiKey: API_KEY });

/** The link of a question in a chat. */
const linkOf = (execution: number, chat = CHAT) =>
	`${WAITING_URL}/${execution}/node?chat=${chatTagOf(key, chat)}&run=0&signature=${execution}`;
const [FIRST, SECOND] = [linkOf(7), linkOf(8)];

const question = (link: string): IDataObject => ({
	id: `question ${link}`,
	type: 'chat',
	body: `Ship it? ${link}`,
	from_me: true,
	timestamp: SECONDS - 600,
});
const textFrom = (from: string, more: IDataObject = {}): IDataObject => ({
	id: 'message-1',
	type: 'chat',
	body: 'Approve',
	from,
	from_me: false,
	timestamp: SECONDS,
	...more,
});
const text = (more: IDataObject = {}) => textFrom(CHAT, more);
const item = (message: IDataObject, more: IDataObject = {}): INodeExecutionData => ({
	json: { event: 'message.received', event_id: 'event-1', chat: { id: CHAT }, message, ...more },
});
/** The item of a chat with several messages. */
const chatItem = (...messages: IDataObject[]): INodeExecutionData => ({
	json: {
		chat: { id: CHAT },
		messages,
		text: messages.map(({ body }) => body).join('\n'),
		event_ids: messages.map(({ id }) => `event of ${String(id)}`),
	},
});

let now = NOW;
/** The longer waits, in milliseconds, and what ends each. */
let waits: Array<[number, () => void]> = [];
beforeEach(() => {
	waits = [];
	now += 60_000;
	replaceTriggerClock(
		() => now,
		async (ms, signal) => {
			if (ms <= 500) now += ms;
			else
				await new Promise<void>((resolve, reject) => {
					waits.push([ms, resolve]);
					signal?.addEventListener('abort', () => reject(new Error('It is over')));
				});
		},
	);
});
afterEach(() => void jest.restoreAllMocks());

/** How a page responds: as one of this package, or as something in front of it. */
type Page = AnswerResponse | Response;

const OPEN: Page = { isOpen: true, accepts: true };
const TAKEN: Page = { isOpen: false, taken: true };
const REJECTS: Page = { isOpen: true, accepts: false };
const CLOSED: Page = { isOpen: false };
const NO_RESPONSE: Page = { statusCode: 502, body: 'Bad Gateway' };
/** The question of a page that is open takes what it is given. */
const PAGE = { check: OPEN, take: TAKEN };

interface Trigger {
	takeAnswers?: boolean | null;
	keywords?: string[];
	onError?: 'continueRegularOutput';
	/** How the pages of the questions respond, by link. */
	pages?: Record<string, { check: Page; take?: Page }>;
	/** The messages of a chat, newest first; undefined if the service does not list them. */
	messagesOf?: (chat: string) => IDataObject[] | Promise<IDataObject[]> | undefined;
}

/** A trigger that takes answers, in whose account the two questions wait unless said otherwise. */
function newTrigger({
	takeAnswers = true,
	keywords,
	onError,
	pages = { [FIRST]: PAGE },
	messagesOf = () => Object.keys(pages).map(question),
}: Trigger = {}) {
	/** What the pages were asked. */
	const asked: Array<[phase: string, link: string]> = [];
	const replies: object[] = [];
	const node = newNode({
		parameters: {
			'options.takeAnswers': takeAnswers,
			'options.ignoreOwnMessages': false,
			...(keywords && { 'options.keywords': keywords }),
		},
		onError,
		respond: async (path) => {
			const [, chat] = /chats\/([^/]+)\/messages$/.exec(path) ?? [];
			const data = await messagesOf(decodeURIComponent(String(chat)));
			return { statusCode: 200, body: { success: true, data } };
		},
		respondAt: async ({ url, headers, body }: IHttpRequestOptions) => {
			const signature = String(new URL(url).searchParams.get('signature'));
			const request = readAnswerRequest(headers?.[ANSWER_HEADER], key, signature, body as Buffer, now);
			if (!request) throw new Error('The request is not signed');
			const { phase, ...reply } = request;
			asked.push([phase, url]);
			replies.push(reply);
			const response = pages[url]?.[phase];
			if (!response) throw new Error(`Nobody expects ${phase} ${url}`);
			return await Promise.resolve('statusCode' in response ? response : { statusCode: 200, body: response });
		},
	});
	/** Runs the trigger. Resolves to what starts the workflow. */
	const run = async (items: INodeExecutionData[], mode: WorkflowExecuteMode = 'webhook') =>
		await withoutAnswers(triggerRunOf(node.runOf(items, { mode })), items);
	return { ...node, run, pages, asked, replies };
}

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

	test('goes to the question that it names, whatever the others accept', async () => {
		const { run, asked } = newTrigger({ pages: { [FIRST]: PAGE, [SECOND]: PAGE } });
		const body = `${codeWordOf(key, SECOND)} Approve`;

		expect(await run([item(text({ body }))])).toEqual([]);

		expect(asked).toEqual([
			['check', SECOND],
			['take', SECOND],
		]);
	});

	test('starts the workflow when it names none of several', async () => {
		const { run } = newTrigger({ pages: { [FIRST]: PAGE, [SECOND]: PAGE } });
		const items = [item(text())];
		expect(await run(items)).toEqual(items);
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

	test.each<[string, Partial<Trigger>]>([
		['its chat cannot be read', { messagesOf: () => undefined }],
		['a question does not respond', { pages: { [FIRST]: { check: NO_RESPONSE } } }],
		['several questions accept it', { pages: { [FIRST]: PAGE, [SECOND]: PAGE } }],
		[
			'it is not known who asked one of them',
			{
				pages: { [SECOND]: { check: REJECTS } },
				messagesOf: () => [question(SECOND), { ...question(FIRST), from_me: null }],
			},
		],
	])('are not needed in what may be an answer, because %s', async (_, trigger) => {
		const { run } = newTrigger({ keywords, ...trigger });
		const items = [item(text()), chatItem(text())];
		expect(await run(items)).toEqual(items);
	});

	test('are needed in other messages of a chat of which something is not understood', async () => {
		const { run, log } = newTrigger({ keywords, messagesOf: () => [text({ id: 'old', from_me: null })] });
		expect(await run([item(text())])).toEqual([]);
		expect(log).toEqual([]);
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
		expect(requests).toEqual([]);
		expect(log).toEqual([]);
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

	test('of which it is not known who asked starts the workflow, and the log says why', async () => {
		const { run, log, asked } = newTrigger({ messagesOf: () => [{ ...question(FIRST), from_me: null }] });

		expect(await run([item(text())])).toEqual([item(text())]);

		expect(asked).toEqual([]);
		expect(log).toEqual([
			expect.stringContaining("The service sends 'message.from_me' in a form that is not understood: null"),
		]);
	});

	test('that cannot be read starts the workflow, and the log says why', async () => {
		const { run, log } = newTrigger({ messagesOf: () => undefined });
		const items = [item(text())];
		expect(await run(items)).toEqual(items);
		expect(log).toEqual([
			expect.stringContaining('A message could not be checked for an answer, so it may start the workflow: '),
		]);
	});

	test('that does not respond keeps out no other, and the log says why after 70 seconds for all', async () => {
		const chats = ['905550000001@c.us', '905550000002@c.us', OTHER_CHAT];
		const messagesOf = async (chat: string) =>
			chat === OTHER_CHAT ? [question(linkOf(9, OTHER_CHAT))] : await new Promise<never>(() => {});
		const items = chats.map((id) => item(textFrom(id), { chat: { id } }));
		const { run, log } = newTrigger({ pages: { [linkOf(9, OTHER_CHAT)]: PAGE }, messagesOf });
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

	test('a reply starts the workflow, and the log says why', async () => {
		const { run, log } = newTrigger({ pages: { [FIRST]: { check: NO_RESPONSE } } });
		const items = [item(text())];
		expect(await run(items)).toEqual(items);
		expect(log).toEqual([
			expect.stringContaining(
				'It could not be checked whether a message answers a waiting question, because n8n does not respond at its own URL, so the message may start the workflow',
			),
		]);
	});

	test('a reply that was handed over fails the execution, which can be retried', async () => {
		const { run } = newTrigger({ pages: { [FIRST]: unknown } });
		await expect(run([item(text())])).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: ERROR,
			description: expect.stringContaining('Retry this execution when it does.'),
		});
	});

	test('only that reply fails with On Error set to continue', async () => {
		const { run } = newTrigger({ pages: { [FIRST]: unknown }, onError: 'continueRegularOutput' });
		const other = item(text({ id: 'message-2', type: 'image' }));
		const failed = item(text());
		expect(await run([failed, other])).toEqual([
			{ json: { ...failed.json, error: ERROR }, error: expect.objectContaining({ message: ERROR }) },
			other,
		]);
	});

	test('the item of its chat says so', async () => {
		const { run } = newTrigger({ pages: { [FIRST]: unknown }, onError: 'continueRegularOutput' });
		const chat = chatItem(text(), text({ id: 'message-2', type: 'image' }));
		expect(await run([chat])).toEqual([
			{ json: { ...chat.json, error: ERROR }, error: expect.objectContaining({ message: ERROR }) },
		]);
	});
});

describe('an execution that n8n runs again', () => {
	const first = item(text());
	const later = item(text({ id: 'message-2' }));

	test('drops a reply that a question has taken, and no other', async () => {
		const { run, pages } = newTrigger();
		await run([first]);
		pages[FIRST] = { check: CLOSED };
		expect(await run([first, later])).toEqual([later]);
	});

	test('starts the workflow with a reply that the question did not take', async () => {
		const { run, pages } = newTrigger({ pages: { [FIRST]: { check: OPEN, take: CLOSED } } });
		await run([first]);
		pages[FIRST] = { check: CLOSED };
		expect(await run([first])).toEqual([first]);
	});

	test('names the question, as the chat can have asked another one since', async () => {
		const { run, pages } = newTrigger();
		await run([first]);
		delete pages[FIRST];
		pages[SECOND] = { check: CLOSED };
		expect(await run([first])).toEqual([first]);
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
