import { answerKeyOf } from '../../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import { ANSWER_HEADER, answerHeader } from '../../../nodes/MessagingChannel/sendAndWait/inChat/protocol';
import { answered, BOTH, CHAT, GROUP, useAskingInChat } from '../../support/engine/askingInChat';
import { newExecution } from '../../support/engine/context';
import { person } from '../../support/engine/engine';
import type { RunOptions } from '../../support/engine/run';
import { open, submit } from '../../support/world/asking';

const { engine, waiting, api, ask } = useAskingInChat();
const IN_CHAT: Partial<RunOptions> = { options: { answerInChat: true } };

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
			'the group itself among its allowed responders',
			to(GROUP),
			{ allowedResponders: `+90 555 000 00 01, ${GROUP}` },
			`'Allowed Responders' has an entry that is no person: '${GROUP}'`,
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
