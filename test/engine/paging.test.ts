import type { INodeParameters } from 'n8n-workflow';

import { caseRun } from '../support/engine/caseRun';
import { person, useEngine } from '../support/engine/engine';
import { contactPages } from '../support/operations/contact';
import {
	casesOf,
	expectedItems,
	expectedParts,
	partsOf,
	seedService,
} from '../support/operations/expectations';
import { byId } from '../support/operations/parameters';
import { eventually } from '../support/poll';

const engine = useEngine();

const list = async (parameters: INodeParameters, options: INodeParameters = {}) =>
	await engine.run({ operation: 'contact:getAll', items: [{}], parameters, options });

/** Runs a list, and changes what the service holds between its first page and the others. */
async function listWhile<T>(operationId: string, running: () => Promise<T>, change: () => Promise<unknown>) {
	const { control } = engine.service;
	await control.addFault({ operationId, kind: 'hold', when: 'after' });
	const run = running();
	await eventually(
		async () => await engine.requests(operationId),
		([first]) => first?.accepted === true,
	);
	await change();
	await control.clearFaults();
	return await run;
}

describe('pages', () => {
	beforeEach(async () => await seedService(engine.service, contactPages));

	const phones = contactPages.minimal.items.map(({ json }) => json.phone);

	test.each(casesOf(contactPages))('%s', async (_, { requests, items, ...given }) => {
		const { output } = await engine.run(caseRun(contactPages, given));

		expect((await engine.requests()).map(partsOf)).toEqual(requests.map(expectedParts));
		expect(output).toEqual(expectedItems(items));
	});

	test('return a contact that moves to the front meanwhile', async () => {
		const { output } = await listWhile(
			'contact.getAll',
			async () => await list({ returnAll: true }),
			async () => await engine.service.control.incomingMessage({ from: '905550000119', body: 'Hello' }),
		);
		const found = output.map(({ json }) => json.phone);
		expect(found).toEqual(expect.arrayContaining(phones));
		expect(new Set(found).size).toBe(found.length);
	});
});

describe('messages of a chat', () => {
	const chatId = '905551234567@c.us';
	const newest = 1_750_000_000;
	let ids: string[];

	/** The newest first, a second between them. */
	beforeEach(async () => {
		const messages = Array.from({ length: 450 }, (_, index) => ({
			chatId,
			body: `message ${index}`,
			timestamp: newest - index,
		}));
		await engine.service.control.seed({ messages: messages.reverse() });
		ids = (await engine.service.control.messages({ chatId })).map(({ id }) => id).reverse();
	});

	const runGetMessages = async (parameters: INodeParameters) =>
		await engine.run({
			operation: 'chat:getMessages',
			items: [{}],
			parameters: { chatId: byId(chatId), ...parameters },
		});
	const getMessages = async (parameters: INodeParameters) =>
		(await runGetMessages(parameters)).output.map(({ json }) => json.id);

	test.each([{ hides: 199 }, { most: 100 }])(
		'are all there with Return All although the service has short pages: %j',
		async (chatPages) => {
			await engine.service.control.configure({ chatPages });

			expect(await getMessages({ returnAll: true })).toEqual(ids);
			expect(await getMessages({ returnAll: false, limit: 250 })).toEqual(ids.slice(0, 250));
		},
	);
});

test('a service that returns fewer records than it counts makes Return All an error that says how many there are', async () => {
	const data = Array.from({ length: 20 }, (_, number) => ({ phone: person(number) }));
	const fault = { kind: 'status', status: 200, operationId: 'contact.getAll' } as const;
	const pagination = { page: 1, limit: 50, total: 100 };
	for (const records of [data, data, [], data, []]) {
		const body = { success: true, data: records, pagination };
		await engine.service.control.addFault({ ...fault, times: 1, body });
	}

	const { output, error } = await list({ returnAll: true });

	expect(output).toEqual([]);
	expect(error).toMatchObject({
		message: 'The list is incomplete: the service returned 20 of 100 records',
		description:
			"Run again. If the list is still incomplete, turn off 'Return All' and set a 'Limit' to get the available records, and report this to the provider of the service.",
		context: { itemIndex: 0 },
	});
});
