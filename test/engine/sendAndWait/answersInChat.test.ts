import fc from 'fast-check';
import type { INodeExecutionData } from 'n8n-workflow';
import { clock } from '../../../nodes/MessagingChannel/trigger/account/clock';
import { answered, CHAT, GROUP, useAskingInChat } from '../../support/engine/askingInChat';
import { waitingAt } from '../../support/engine/context';
import { person } from '../../support/engine/engine';
import { replaceTriggerClock } from '../../support/engine/triggerClock';
import { open, submit } from '../../support/world/asking';

const { engine, messages, ask, written, answering } = useAskingInChat();
const FREE_TEXT = { responseType: 'freeText' };
const codeOf = ([text = '']: string[]) => /add \*(\w{4})\*/.exec(text)?.[1] ?? '';

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

	test('in a chat whose ID hides the number that was asked is an answer, too, if another event has named the number', async () => {
		const { accepted } = await ask();
		const of = (json: object, chat: object) =>
			({
				json: { ...json, chat: { id: '123456789@lid', type: 'individual', ...chat } },
			}) as INodeExecutionData;
		const [hello, approve] = [(await written('Hello')).json, (await written('Approve')).json];
		const body = { success: true, data: await messages() };
		const fault = { operationId: 'chat.getMessages', kind: 'status', status: 200, body } as const;
		for (let reads = 0; reads < 2; reads++) await engine.service.control.addFault(fault);
		const trigger = answering();

		await trigger.execute([of(hello, { phone: person(1) })]);
		expect(await trigger.execute([of(approve, {})])).toEqual([]);
		expect(accepted).toHaveLength(1);
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
});

describe('of several open questions', () => {
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

	test('the latest ten can take a reply, and by its code word each one', async () => {
		const first = await ask();
		for (let more = 0; more < 10; more++) (await ask()).state = 'ended';
		const code = codeOf(await engine.accepted());
		const item = await written('Approve');
		expect(await answering().execute([item])).toEqual([item]);
		expect(await answering().execute([await written(`Approve ${code}`)])).toEqual([]);
		expect(first.accepted).toEqual([answered({ approved: true, respondedBy: CHAT })]);
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
				'n8n did not respond at its own URL. Retry this execution when it does: the question gets the answer, unless it has it. Other messages of this execution start the workflow only then.',
		});

		first.state = 'ended';
		second.statuses.length = 0;
		expect(await trigger.execute(items, { mode: 'retry', id: 'again' })).toEqual([]);
		expect([first.accepted.length, second.accepted.length]).toEqual([1, 1]);
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

	test.each(['123456789@lid', GROUP])(
		'are unknown to a service that calls authors %s, and the log says so',
		async (from) => {
			const { accepted } = await askGroup();
			const trigger = answering();
			for (const text of ['Approve', 'Hello']) {
				const item = await inGroup(text, from);
				expect(await trigger.execute([item])).toEqual([item]);
				expect(trigger.log).toEqual([
					expect.stringContaining("A message may answer a question with 'Allowed Responders', but its field"),
				]);
			}
			expect(accepted).toEqual([]);
		},
	);

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
