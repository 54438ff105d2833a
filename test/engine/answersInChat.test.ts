import fc from 'fast-check';
import type { INodeExecutionData } from 'n8n-workflow';

import { answerKeyOf, answerTagOf } from '../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import { ANSWER_HEADER, answerHeader } from '../../nodes/MessagingChannel/sendAndWait/inChat/protocol';
import { clock } from '../../nodes/MessagingChannel/trigger/account/clock';
import { registrationOf } from '../../nodes/MessagingChannel/webhook/sharedUrl';
import { newExecution, waitingAt } from '../support/engine/context';
import { person, useEngine } from '../support/engine/engine';
import type { RunOptions } from '../support/engine/run';
import { replaceTriggerClock } from '../support/engine/triggerClock';
import { createTriggerNode, type TriggerNode } from '../support/engine/triggerNode';
import { useWaiting } from '../support/engine/waiting';
import { eventually } from '../support/poll';
import { callerOf } from '../support/service/testing';
import { open, submit } from '../support/world/asking';

const engine = useEngine();
const waiting = useWaiting(engine);
const api = callerOf(() => engine.service);

const CHAT = `${person(1)}@c.us`;
const GROUP = '120363000000000001@g.us';
const IN_CHAT: Partial<RunOptions> = { options: { answerInChat: true } };
const BOTH = { approvalOptions: { values: { approvalType: 'double' } } };
const FREE_TEXT = { responseType: 'freeText' };
const respondedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const answered = (values: object) => [[{ json: { data: { ...values, respondedAt } } }]];

/** What the trigger that takes answers has registered. */
async function registerReceiver(answerTag: string | undefined, n8nUrl = waitingAt.url): Promise<void> {
	const url = `${n8nUrl}/webhook/answering/webhook`;
	const { url: registered } = registrationOf(
		[{ url, kind: 'workflow', events: ['message.received'], timeoutSeconds: 30, answerTag }],
		'a secret that the node need not have',
	);
	expect((await api('POST', '/webhooks', { url: registered, events: [] })).status).toBe(200);
}

const tagOf = () => answerTagOf(answerKeyOf(engine.account));

beforeEach(async () => await registerReceiver(tagOf()));

/** Waits until the chat shows the texts that were sent. */
const arrived = async (texts: number, chat = CHAT) =>
	await eventually(
		async () => await messages(chat),
		(all) => all.filter(({ from_me }) => from_me).length === texts,
	);

async function messages(chat = CHAT): Promise<Array<Record<string, unknown>>> {
	const { body } = await api('GET', `/chats/${chat}/messages`);
	return body.data as Array<Record<string, unknown>>;
}

let asked = 0;
beforeEach(() => (asked = 0));

/** Asks in the chat, and waits until the question is there. */
async function ask(parameters = {}, options = {}, chat = CHAT) {
	const to = { __rl: true, mode: 'id', value: chat };
	const question = await waiting.ask(
		{ to, ...BOTH, ...parameters },
		{ options: { answerInChat: true, ...options } },
	);
	await arrived(++asked, chat);
	return question;
}

/** The item of a message that somebody has written in the chat. */
async function written(body: string, more: object = {}): Promise<INodeExecutionData> {
	const { messageId, eventId } = await engine.service.control.incomingMessage({
		from: person(1),
		body,
		...more,
	});
	const message = (await messages()).find(({ id }) => id === messageId);
	const json = { event: 'message.received', event_id: eventId, chat: { id: CHAT }, message };
	return { json } as INodeExecutionData;
}

/** The item of several messages. */
const combined = (...items: INodeExecutionData[]) =>
	({
		json: {
			chat: { id: CHAT },
			messages: items.map(({ json }) => json.message),
			text: items.map(({ json }) => (json.message as { body: string }).body).join('\n'),
			event_ids: items.map(({ json }) => json.event_id),
			delivered_at: 'now',
		},
	}) as INodeExecutionData;

/** A trigger that takes answers. */
const answering = (options = {}, node = {}, credential = () => engine.account): TriggerNode =>
	createTriggerNode({
		node,
		parameters: { events: ['message.received'], options: { takeAnswers: true, catchUp: 0, ...options } },
		credential: () => ({ ...credential(), signingSecret: 'secret' }),
		n8nUrl: waitingAt.url,
	});

const codeOf = ([text = '']: string[]) => /add \*(\w{4})\*/.exec(text)?.[1] ?? '';

describe('a question that can be answered in the chat', () => {
	test('says how, and has one link', async () => {
		const { links } = await waiting.ask(BOTH, IN_CHAT);

		const [text = ''] = await engine.accepted();
		expect(text).toMatch(
			/^Ship it\?\n\nReply \*Approve\* or \*Decline\*\. If several questions are open, add \*[A-Z]\d[A-Z]\d\*\.\n\nOr answer here: http\S+$/,
		);
		const url = new URL(links['Or answer here'] ?? '');
		expect([...url.searchParams.keys()]).toEqual(['chat', 'run', 'signature']);
		expect(text).not.toContain(`chat=${person(1)}`);
	});

	test.each([
		['Approve', 'true', true],
		['Decline', 'false', false],
	])('is answered on the page by its button %s, too', async (label, value, approved) => {
		const { links, accepted } = await waiting.ask(BOTH, IN_CHAT);
		const link = links['Or answer here'];

		const { status, page } = await open(link);
		expect([status, page]).toEqual([200, expect.stringContaining('<p class="message">Ship it?</p>')]);
		expect(page).toContain(`<button type="submit" name="approved" value="${value}">${label}</button>`);

		expect((await submit(link, {})).status).toBe(422);
		expect((await submit(link, { approved: 'yes' })).status).toBe(422);
		expect(accepted).toEqual([]);
		expect((await submit(link, { approved: value })).page).toContain(`You answered: ${label}`);
		expect(accepted).toEqual([answered({ approved })]);
	});

	test('has no button to decline without that answer', async () => {
		const { links, accepted } = await waiting.ask({}, IN_CHAT);
		const link = links['Or answer here'];

		expect((await open(link)).page).not.toContain('Decline');
		expect((await submit(link, { approved: 'false' })).status).toBe(422);
		expect(accepted).toEqual([]);
	});
});

describe('is refused before it is sent:', () => {
	const refused = async (parameters: object, options: object, message: string) => {
		const { error } = await engine.run({
			operation: 'message:sendAndWait',
			items: [{}],
			parameters: {
				to: { __rl: true, mode: 'id', value: CHAT },
				message: 'Ship it?',
				...BOTH,
				...parameters,
			},
			options: { answerInChat: true, ...options },
		});
		expect(error).toMatchObject({ message });
		expect(await engine.requests('message.send')).toEqual([]);
	};
	const to = (value: string) => ({ to: { __rl: true, mode: 'id', value } });

	test.each<[string, object, object, string]>([
		[
			'a number without its country code',
			{ to: { __rl: true, mode: 'phone', value: '05551234567' } },
			{},
			"'To' has no country code, so a reply in the chat could not be recognized: '05551234567'",
		],
		[
			'allowed responders in a chat with one person',
			{},
			{ allowedResponders: '+90 555 000 00 01' },
			"'Allowed Responders' can be used only for a group",
		],
		[
			'allowed responders of whom there are none',
			to(GROUP),
			{ allowedResponders: ' , ' },
			"'Allowed Responders' is empty",
		],
		[
			'allowed responders in an empty list',
			to(GROUP),
			{ allowedResponders: '={{ [] }}' },
			"'Allowed Responders' is empty",
		],
		[
			'allowed responders without their country code',
			to(GROUP),
			{ allowedResponders: '+90 555 000 00 02, 0555 000 00 01' },
			"'Allowed Responders' has no country code, so a reply in the chat could not be recognized: '0555 000 00 01'",
		],
		[
			'allowed responders without the option',
			{},
			{ answerInChat: false, allowedResponders: '905550000001' },
			"'Allowed Responders' has no effect without 'Answer in Chat'",
		],
		[
			'answers that cannot be told apart',
			{
				approvalOptions: { values: { approvalType: 'double', approveLabel: 'Yes', disapproveLabel: 'yes!' } },
			},
			{},
			"'Approval Options' has answers that cannot be told apart in the chat: 'Yes', 'yes!'",
		],
	])('%s', async (_, parameters, options, message) => await refused(parameters, options, message));

	test('a question for which nobody takes answers', async () => {
		await api('DELETE', '/webhooks');
		await refused(
			{},
			{},
			"'Answer in Chat' cannot be used, because no published workflow takes answers for this account",
		);
	});

	test('a question when the webhook cannot be read, and one that may have been sent before stays uncertain', async () => {
		const execution = newExecution();
		const asking = {
			execution,
			operation: 'message:sendAndWait',
			items: [{}],
			parameters: { to: { __rl: true, mode: 'id', value: CHAT }, message: 'Ship it?' },
			options: { answerInChat: true, afterAmbiguousSend: 'fail' },
		};
		const { addFault } = engine.service.control;
		await addFault({ kind: 'status', status: 500, times: 1, operationId: 'message.send' });
		expect((await engine.run(asking)).error?.message).toContain('may have been sent');
		await addFault({ kind: 'status', status: 403, times: 'always', operationId: 'webhook.get' });

		const again = await engine.run(asking);
		const first = await engine.run({ ...asking, execution: newExecution() });

		expect(again.error?.message).toContain('may have been sent');
		expect(first.error?.message).toContain('refused the request');
		expect(await engine.requests('message.send')).toHaveLength(1);
	});
});

describe('a reply', () => {
	test.each([
		['approve!', true],
		['DECLINE', false],
	])('%s answers the question, and starts nothing', async (text, approved) => {
		const { accepted } = await ask();
		const item = await written(text);

		expect(await answering().execute([item])).toEqual([]);

		expect(accepted).toEqual([answered({ approved, respondedBy: CHAT })]);
	});

	test('to a free text or a form with one field is its value', async () => {
		const free = await ask(FREE_TEXT);
		expect(await answering().execute([await written('Too late.')])).toEqual([]);
		expect(free.accepted).toEqual([answered({ text: 'Too late.', respondedBy: CHAT })]);
		free.state = 'ended';

		const formFields = { values: [{ fieldLabel: 'Amount', fieldType: 'number' }] };
		const form = await ask({ responseType: 'customForm', formFields });
		expect(await answering().execute([await written('2.5')])).toEqual([]);
		expect(form.accepted).toEqual([answered({ Amount: 2.5, respondedBy: CHAT })]);
	});

	test.each(['Approve it', 'Hello', '👍'])('%s is none, and starts the workflow as ever', async (text) => {
		const { accepted } = await ask();
		const item = await written(text);

		expect(await answering().execute([item])).toEqual([item]);

		expect(accepted).toEqual([]);
	});

	test('in a chat whose ID hides the number that was asked is an answer, if the event names that', async () => {
		const { accepted } = await ask();
		const { json } = await written('Approve');
		const chat = { id: '123456789@lid', type: 'individual' };
		const of = (phone: string) => [{ json: { ...json, chat: { ...chat, phone } } }] as INodeExecutionData[];
		const body = { success: true, data: await messages() };
		const fault = { operationId: 'chat.getMessages', kind: 'status', status: 200, body } as const;
		for (let reads = 0; reads < 2; reads++) await engine.service.control.addFault(fault);

		expect(await answering().execute(of(person(2)))).toEqual(of(person(2)));
		expect(await answering().execute(of(person(1)))).toEqual([]);
		expect(accepted).toEqual([answered({ approved: true, respondedBy: CHAT })]);
	});

	test('reads the chat once, and nothing else of the service', async () => {
		await ask();
		await engine.service.control.clearRequests();
		const item = await written('Hello');
		await engine.service.control.clearRequests();

		await answering().execute([item]);

		const requests = (await engine.requests()).map(({ operationId, query }) => ({ operationId, query }));
		const query = { limit: '200', include_raw: 'false', include_presigned_url: 'false' };
		expect(requests).toEqual([{ operationId: 'chat.getMessages', query }]);
	});

	test('is taken out of what is combined, and only the others are left', async () => {
		const { accepted } = await ask();
		const [one, two, three] = [await written('Hello'), await written('Approve'), await written('Bye')];

		const output = await answering({ combineEvents: 'perChat' }).execute([combined(one, two, three)]);

		expect(output).toEqual([combined(one, three)]);
		expect(accepted).toHaveLength(1);
	});
});

describe('of several open questions', () => {
	test('the only one that accepts a text takes it', async () => {
		const [approval, text] = [await ask(), await ask(FREE_TEXT)];

		expect(await answering().execute([await written('Hello')])).toEqual([]);
		expect([approval.accepted.length, text.accepted.length]).toEqual([0, 1]);
		text.state = 'ended';
		expect(await answering().execute([await written('Approve')])).toEqual([]);
		expect(approval.accepted).toHaveLength(1);
	});

	test('none takes what two accept, and the code word tells them apart', async () => {
		const [first, second] = [await ask(), await ask()];
		const [firstText = '', secondText = ''] = await engine.accepted();
		expect(codeOf([firstText])).not.toBe(codeOf([secondText]));
		const item = await written('Approve');
		expect(await answering().execute([item])).toEqual([item]);

		expect(await answering().execute([await written(`Decline ${codeOf([secondText])}`)])).toEqual([]);

		expect([first.accepted, second.accepted]).toEqual([
			[],
			[answered({ approved: false, respondedBy: CHAT })],
		]);
	});

	test('none takes what names another one by its code word, whatever became of that', async () => {
		const [approval, text] = [await ask(), await ask(FREE_TEXT)];
		const [approvalText = ''] = await engine.accepted();
		for (const state of [undefined, 'runs', 'ended'] as const) {
			approval.state = state;
			const item = await written(`Maybe ${codeOf([approvalText])}`);
			expect(await answering().execute([item])).toEqual([item]);
		}
		expect([approval.accepted, text.accepted]).toEqual([[], []]);
	});
});

/** Each is a request, so 10,000 take minutes. */
const FOREIGN_TEXTS = Number(process.env.FOREIGN_TEXTS ?? 100);

test(`of ${FOREIGN_TEXTS} foreign texts, links and forwarded questions, an approval takes none`, async () => {
	const { accepted, links } = await ask();
	const [question = ''] = await engine.accepted();
	const link = links['Or answer here'] ?? '';
	const code = codeOf([question]);
	const own = (chatId: string, body: string) => ({ chatId, body, fromMe: true });
	const other = `${person(2)}@c.us`;
	const foreign = [
		question,
		link,
		link.replace(/chat=[^&]*/, 'chat=forged'),
		link.replace(/&run=.*(?=&signature)/, ''),
		`${waitingAt.url}/1?signature=abc`,
		`${waitingAt.url}/1/node?approved=true&signature=abc`,
		'https://n8n.other.example/webhook-waiting/1?signature=abc',
	];
	// In another chat, the account itself has forwarded the question and pasted all kinds of links.
	await engine.service.control.seed({ messages: foreign.map((body) => own(other, body)) });
	const almost = [...foreign, code, 'Approve?', 'Approve 👎', 'Approve it', 'ok', '👍', `Approve ${code}?`];
	const noAnswers = fc.oneof(
		fc.lorem(),
		fc.string({ unit: 'grapheme', minLength: 1 }),
		fc.webUrl({ withQueryParameters: true }),
		fc.constantFrom(...almost),
		fc.lorem({ maxCount: 2 }).map((words) => `Approve ${words}`),
		fc.lorem({ maxCount: 2 }).map((words) => `${words} ${code} decline`),
	);
	const texts = [...almost, ...fc.sample(noAnswers, { numRuns: FOREIGN_TEXTS - almost.length, seed: 24 })];
	// There, what would be an answer is none either.
	const elsewhere = ['Approve', 'Decline', `Approve ${code}`];
	const timestamp = Math.floor(engine.now() / 1000) + 60;
	const items = [...texts.map((body) => [CHAT, body]), ...elsewhere.map((body) => [other, body])].map(
		([chat, body], index) => ({
			json: {
				event: 'message.received',
				event_id: `event-${index}`,
				chat: { id: chat },
				message: { id: `message-${index}`, from: chat, from_me: false, type: 'chat', body, timestamp },
			},
		}),
	);

	const output = await answering().execute(items as INodeExecutionData[]);

	expect(output).toHaveLength(items.length);
	expect(accepted).toEqual([]);
	expect(await answering().execute([await written('Approve')])).toEqual([]);
	expect(accepted).toHaveLength(1);
}, 1_800_000);

describe('an execution that does not wait', () => {
	test.each(['ended', 'failed'] as const)('any more (%s) takes nothing', async (state) => {
		const question = await ask();
		question.state = state;
		const item = await written('Approve');

		expect(await answering().execute([item])).toEqual([item]);
		expect(question.accepted).toEqual([]);
	});
});

describe('an answer of which it is not known whether it was taken', () => {
	/** Two answers, of which the first is taken. */
	const twoAnswers = async () => {
		const [first, second] = [await ask(), await ask()];
		const texts = await engine.accepted();
		second.statuses.push(...Array<number>(20).fill(500));
		const items = [
			await written(`Approve ${codeOf([texts[0] ?? ''])}`),
			await written(`Approve ${codeOf([texts[1] ?? ''])}`),
		];
		return { first, second, items };
	};
	beforeEach(() => {
		let now = clock.now();
		replaceTriggerClock(
			() => now,
			async (ms) => {
				// The limit of a wait.
				if (ms > 5_000) return await new Promise(() => {});
				now += ms;
			},
		);
	});
	afterEach(() => jest.restoreAllMocks());

	test('fails the execution, and a retry hands it over', async () => {
		const { first, second, items } = await twoAnswers();
		const trigger = answering();

		await expect(trigger.execute(items, { mode: 'retry' })).rejects.toMatchObject({
			message: expect.stringMatching(
				/^It is not known whether a waiting question took the message \S+ as its answer$/,
			),
			description:
				'n8n did not respond at its own URL. Retry this execution when it does. If the question still waits, it gets the answer, and if it has the answer, the message is dropped. Other messages of this execution start the workflow only with this retry.',
		});

		first.state = 'ended';
		second.statuses.length = 0;
		expect(await trigger.execute(items, { mode: 'retry', id: 'again' })).toEqual([]);
		expect([first.accepted.length, second.accepted.length]).toEqual([1, 1]);
	});

	test('holds up the other messages of its execution, until a retry says which ones start the workflow', async () => {
		const question = await ask();
		question.statuses.push(...Array<number>(20).fill(500));
		const answer = await written('Approve');
		const other = await written('Are you open today?');
		const trigger = answering();

		await expect(trigger.execute([answer, other])).rejects.toMatchObject({
			description: expect.stringContaining(
				'Other messages of this execution start the workflow only with this retry.',
			),
		});

		question.state = 'ended';
		expect(await trigger.execute([answer, other], { mode: 'retry', id: 'again' })).toEqual([other]);
	});
});

describe('a redelivered answer', () => {
	test('is taken once, when the run that took it was cut off', async () => {
		const question = await ask();
		const item = await written('Approve');
		const trigger = answering();
		expect(await trigger.execute([item], { mode: 'retry' })).toEqual([]);
		question.state = 'runs';

		for (const state of ['runs', 'ended'] as const) {
			question.state = state;
			expect(await trigger.execute([item], { mode: 'retry', id: state })).toEqual([]);
		}
		expect(question.accepted).toHaveLength(1);
	});
});

describe('a request to the page of a question', () => {
	const request = (more: object = {}) => ({
		phase: 'take',
		messageId: 'm',
		chat: CHAT,
		from: CHAT,
		text: 'Approve',
		sendersSince: [],
		...more,
	});
	const post = async (link: string, body: object, apiKey: string, signedFor = link) => {
		const content = Buffer.from(JSON.stringify(body));
		const signature = new URL(signedFor).searchParams.get('signature') ?? '';
		const header = answerHeader(answerKeyOf({ apiKey }), signature, content, Date.now());
		const headers = { 'content-type': 'application/json', [ANSWER_HEADER]: header };
		const response = await fetch(link, { method: 'POST', headers, body: content });
		return { status: response.status, body: await response.json() };
	};

	test('that checks whether a reply is an answer changes nothing', async () => {
		const { links, accepted } = await ask();
		const link = links['Or answer here'] ?? '';
		const { apiKey } = engine.account;
		const check = async (text: string) => await post(link, request({ phase: 'check', text }), apiKey);

		expect(await check('Approve')).toEqual({ status: 200, body: { isOpen: true, accepts: true } });
		expect(await check('Hello')).toEqual({ status: 200, body: { isOpen: true, accepts: false } });
		expect(await post(link, request({ text: 'Hello' }), apiKey)).toEqual({
			status: 200,
			body: { isOpen: true, accepts: false },
		});
		expect(accepted).toEqual([]);
	});

	test('that nobody signed, or for something else, is refused', async () => {
		const { links, accepted } = await ask();
		const second = await ask();
		const link = links['Or answer here'] ?? '';
		const { apiKey } = engine.account;
		const refused = { status: 401, body: { isOpen: false } };

		expect(await post(link, request(), 'another key')).toEqual(refused);
		expect(await post(link, request(), apiKey, second.links['Or answer here'])).toEqual(refused);
		expect(await post(link, request({ chat: '905550000009@c.us' }), apiKey)).toEqual(refused);
		const headers = { 'content-type': 'application/json' };
		const body = JSON.stringify(request({ respondedBy: 'forged' }));
		expect((await fetch(link, { method: 'POST', headers, body })).status).toBe(422);
		expect(accepted).toEqual([]);
	});

	test('says again that it was taken to the same message, and not to another', async () => {
		const { links, accepted } = await ask();
		const link = links['Or answer here'] ?? '';
		const { apiKey } = engine.account;
		const taken = { status: 200, body: { isOpen: false, taken: true } };

		expect(await post(link, request(), apiKey)).toEqual(taken);
		expect(await post(link, request(), apiKey)).toEqual(taken);
		expect(await post(link, request({ messageId: 'n' }), apiKey)).toEqual({
			status: 410,
			body: { isOpen: false },
		});
		expect(accepted).toHaveLength(1);
	});

	test('of a question whose credential is gone does not end the wait, and answers later', async () => {
		const question = await ask();
		const link = question.links['Or answer here'] ?? '';
		const { apiKey } = engine.account;
		const gone = () => {
			throw new Error('Credential with ID "1" does not exist');
		};
		question.credential = gone;
		expect(await post(link, request(), apiKey)).toEqual({ status: 503, body: { isOpen: true } });
		question.credential = () => engine.account;

		expect((await post(link, request(), apiKey)).body).toEqual({ isOpen: false, taken: true });
		expect(question.accepted).toHaveLength(1);

		question.credential = gone;
		Object.assign(question.execution.executionData ?? {}, { contextData: {} });
		expect(await post(link, request(), apiKey)).toEqual({ status: 503, body: { isOpen: false } });
	});

	test('of a question that is not answered in the chat takes nothing', async () => {
		const { links, accepted } = await waiting.ask(BOTH);

		expect((await post(links.Approve ?? '', request(), engine.account.apiKey)).status).toBe(401);
		expect(accepted).toEqual([]);
	});
});

describe('allowed responders in a group', () => {
	const inGroup = async (text: string, from: string): Promise<INodeExecutionData> => {
		const { messageId } = await engine.service.control.incomingMessage({ from: GROUP, body: text });
		const message = (await messages(GROUP)).find(({ id }) => id === messageId);
		const json = { event: 'message.received', chat: { id: GROUP }, message: { ...message, from } };
		return { json } as INodeExecutionData;
	};
	const askGroup = async (options: object = { allowedResponders: '+90 555 000 00 01' }) =>
		await ask({}, options, GROUP);

	test.each([
		{ allowedResponders: '+90 0555 000 00 01' },
		{ allowedResponders: '905550000001@c.us' },
		{ allowedResponders: '0555 000 00 01', defaultCountryCode: '90' },
	])('answer, however their numbers are written: %j', async (options) => {
		const { accepted } = await askGroup(options);

		expect(await answering().execute([await inGroup('Approve', '905550000001@c.us')])).toEqual([]);

		expect(accepted).toHaveLength(1);
	});

	test('answer, and nobody else', async () => {
		const { accepted } = await askGroup();
		for (const from of ['905550000002@c.us', GROUP]) {
			const item = await inGroup('Approve', from);
			expect(await answering().execute([item])).toEqual([item]);
		}

		expect(await answering().execute([await inGroup('Approve', '905550000001@c.us')])).toEqual([]);

		expect(accepted).toEqual([answered({ approved: true, respondedBy: '905550000001@c.us' })]);
	});

	test('make the page of the link answer nothing', async () => {
		const { links, accepted } = await askGroup();
		const link = links['About this question'];

		expect(await open(link)).toMatchObject({
			status: 200,
			page: expect.stringContaining('Please reply in the chat.'),
		});
		expect((await open(link)).page).not.toContain('<button');
		expect(await submit(link, { approved: 'true' })).toMatchObject({ status: 403 });
		expect(accepted).toEqual([]);
	});
});
