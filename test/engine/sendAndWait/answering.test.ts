// cspell:ignore Çağrı
import { PAGE_HEADERS } from '../../../nodes/MessagingChannel/sendAndWait/html';
import { PENDING_QUESTION } from '../../../nodes/MessagingChannel/n8n/waitingExecution';
import type { PendingQuestion } from '../../../nodes/MessagingChannel/sendAndWait/interaction';
import { useEngine } from '../../support/engine/engine';
import { useWaiting, type Asked } from '../../support/engine/waiting';
import { open, submit } from '../../support/world/asking';

const engine = useEngine();
const waiting = useWaiting(engine);

const TWO_LINKS = { approvalOptions: { values: { approvalType: 'double' } } };
const FREE_TEXT = { responseType: 'freeText' };
const respondedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** What n8n continues the workflow with after an answer. */
const answered = (values: object) => [[{ json: { data: { ...values, respondedAt } } }]];

const ACCEPTED = { status: 200, page: expect.stringContaining('Your answer was received') };
const CLOSED = { status: 410, page: expect.stringContaining('Someone has already answered') };

/** The question as n8n stores it. */
const storedQuestion = ({ execution, node }: Asked) =>
	execution.executionData?.contextData[`node:${node.name}`]?.[PENDING_QUESTION] as PendingQuestion;

describe('an approval', () => {
	test.each([
		['Approve', true],
		['Decline', false],
	])('%s: the link shows the question, and only its button answers', async (label, approved) => {
		const { links, accepted } = await waiting.ask(TWO_LINKS);

		const { status, page, headers } = await open(links[label]);
		expect([status, page]).toEqual([200, expect.stringContaining('<p class="message">Ship it?</p>')]);
		expect(page).toContain(`<button type="submit">${label}</button>`);
		expect(Object.fromEntries(headers)).toMatchObject(lowerCase(PAGE_HEADERS));
		expect(accepted).toEqual([]);

		const sent = await submit(links[label]);
		expect(sent).toMatchObject(ACCEPTED);
		expect(sent.page).toContain(`You answered: ${label}`);
		expect(Object.fromEntries(sent.headers)).toMatchObject(lowerCase(PAGE_HEADERS));
		expect(accepted).toEqual([answered({ approved })]);
	});

	test('is found in a node of any name', async () => {
		const { links } = await waiting.ask({}, { node: { name: `Ask_1 "Ada" }} \\ {{ 'x' }} $& Çağrı 👍\n` } });

		expect((await open(links.Approve)).page).toContain('Ship it?');
	});

	test('takes one answer', async () => {
		const { links, accepted } = await waiting.ask(TWO_LINKS);
		await submit(links.Approve);

		expect(await submit(links.Decline)).toMatchObject(CLOSED);
		expect(accepted).toEqual([answered({ approved: true })]);
	});

	test('takes the next answer when n8n could not store the first', async () => {
		const { links, accepted, statuses } = await waiting.ask(TWO_LINKS);
		statuses.push(500);
		await submit(links.Approve);

		expect(await submit(links.Decline)).toMatchObject(ACCEPTED);
		expect(accepted).toEqual([answered({ approved: false })]);
	});
});

describe('a question is closed', () => {
	const expectClosed = async ({ links, accepted }: Pick<Asked, 'links' | 'accepted'>) => {
		expect(await open(links.Approve)).toMatchObject(CLOSED);
		expect(await submit(links.Approve)).toMatchObject(CLOSED);
		expect(accepted).toEqual([]);
	};

	test('once a loop asks the next one, which can be answered', async () => {
		const { executionId, execution, links } = await waiting.ask();
		await submit(links.Approve);

		const next = await waiting.ask({}, { executionId, execution, runIndex: 1, inLoop: true });

		await expectClosed({ links, accepted: next.accepted });
		expect(await submit(next.links.Approve)).toMatchObject(ACCEPTED);
		expect(next.accepted).toEqual([answered({ approved: true })]);
	});

	test('when n8n has none stored', async () => {
		const asked = await waiting.ask();
		Object.assign(asked.execution.executionData ?? {}, { contextData: {} });

		await expectClosed(asked);
	});

	const limitWaitTime = { values: { limitType: 'afterTimeInterval', resumeAmount: 1, resumeUnit: 'hours' } };

	test('from the time limit on, even while n8n still waits', async () => {
		const asked = await waiting.ask({}, { options: { limitWaitTime } });
		const { deadline = 0 } = storedQuestion(asked);
		expect(deadline).toBe(engine.now() + 3_600_000);
		const clock = jest.spyOn(Date, 'now').mockReturnValue(deadline - 1);
		expect((await open(asked.links.Approve)).status).toBe(200);

		clock.mockReturnValue(deadline);

		await expectClosed(asked).finally(() => clock.mockRestore());
	});
});

describe('free text', () => {
	test('is entered on a page, with the words of the user', async () => {
		const { links, accepted } = await waiting.ask(FREE_TEXT, {
			options: {
				messageButtonLabel: 'Tell us',
				responseFormTitle: 'Why not?',
				responseFormDescription: 'Say it <b>freely</b>',
				responseFormButtonLabel: 'Done',
			},
		});
		const { page } = await open(links['Tell us']);
		expect(page).toContain('<h1>Why not?</h1>');
		expect(page).toContain('<p class="message">Say it &#60;b&#62;freely&#60;/b&#62;</p>');
		expect(page).toContain('<button type="submit">Done</button>');

		expect(await submit(links['Tell us'], { 'field-0': 'Too late.\r\nSorry!' })).toMatchObject(ACCEPTED);
		expect(accepted).toEqual([answered({ text: 'Too late.\nSorry!' })]);
	});

	test('is asked for again when it is empty, or nothing is sent', async () => {
		const { links, accepted } = await waiting.ask(FREE_TEXT);
		const incomplete = { status: 422, page: expect.stringContaining('Fill in this field.') };

		expect(await submit(links.Respond, { 'field-0': '  ' })).toMatchObject(incomplete);
		expect((await fetch(links.Respond ?? '', { method: 'POST' })).status).toBe(422);
		expect(accepted).toEqual([]);
	});

	test('can come as JSON', async () => {
		const { links, accepted } = await waiting.ask(FREE_TEXT);
		const headers = { 'content-type': 'application/json' };

		await fetch(links.Respond ?? '', { method: 'POST', headers, body: '{"field-0":"blue"}' });

		expect(accepted).toEqual([answered({ text: 'blue' })]);
	});
});

test('whoever answers reads the words of the user, in their language', async () => {
	const texts = {
		values: {
			attribution: '<sent>',
			textFieldLabel: 'Label',
			checkFieldsText: 'Look here.',
			thanksTitle: 'Many thanks',
			closedTitle: 'Too late',
		},
	};
	const { links } = await waiting.ask(FREE_TEXT, {
		options: { appendAttribution: true, texts, pageLanguage: 'tr' },
	});
	const inTurkish = (status: number, words: string) => ({
		status,
		page: expect.stringMatching(new RegExp(`<html lang="tr"[^]*${words}`)),
	});

	expect(await open(links.Respond)).toMatchObject(inTurkish(200, 'Label'));
	expect(await submit(links.Respond, { 'field-0': '' })).toMatchObject(inTurkish(422, 'Look here.'));
	expect(await submit(links.Respond, { 'field-0': 'Yes' })).toMatchObject(inTurkish(200, '<h1>Many thanks'));
	expect(await submit(links.Respond, { 'field-0': 'No' })).toMatchObject(inTurkish(410, '<h1>Too late'));
	expect((await engine.accepted())[0]).toMatch(/<sent>$/);
});

test('a form is shown again with what was filled in until it is right, and gives each value by its label', async () => {
	const formFields = {
		values: [
			{ fieldLabel: 'Amount', fieldType: 'number' },
			{
				fieldLabel: 'Extras',
				fieldType: 'checkbox',
				fieldOptions: { values: [{ option: 'gift' }, { option: 'card' }] },
			},
		],
	};
	const { links, accepted } = await waiting.ask({ responseType: 'customForm', formFields });
	const extras = { 'field-1': ['gift', 'card'] };

	const { status, page } = await submit(links.Respond, { 'field-0': 'many', ...extras });
	expect([status, page]).toEqual([422, expect.stringContaining('Enter a number.')]);
	expect(page).toContain('value="many"');
	expect(accepted).toEqual([]);

	await submit(links.Respond, { 'field-0': '2.5', ...extras });
	expect(accepted).toEqual([answered({ Amount: 2.5, Extras: ['gift', 'card'] })]);
});

function lowerCase(headers: Record<string, string>): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
