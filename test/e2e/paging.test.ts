import type { INodeParameters } from 'n8n-workflow';

import { contactPages } from '../support/operations/contact';
import { byId } from '../support/operations/parameters';
import { eventually } from '../support/service/testing';
import { expectCase } from './expectCase';
import { OPERATION, prepareService, runOperation } from '../support/world/operationRun';
import { startWorld, type World } from '../support/world/world';

const chatId = '905551234567@c.us';
const newest = 1_750_000_000;

const getContacts = { resource: 'contact', operation: 'getAll' };
const getMessages = { resource: 'chat', operation: 'getMessages' };
const all = { chatId: byId(chatId), returnAll: true };

let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

/** Messages, newest first: as many as there are times, which are seconds before the newest. */
async function seedMessages(secondsAgo: number[]): Promise<string[]> {
	const messages = secondsAgo.map((seconds, index) => ({
		chatId,
		body: `message ${index}`,
		timestamp: newest - seconds,
	}));
	await prepareService(world, { seed: { messages: messages.reverse() } });
	return (await world.service.control.messages({ chatId })).map(({ id }) => id).reverse();
}

const count = (length: number) => Array.from({ length }, (_, index) => index);

/** Waits until the service has made up its first page. */
const firstPageTaken = async () =>
	await eventually(
		async () => await world.service.control.requests({ accepted: true }),
		({ length }) => length === 1,
	);

const queries = async () => (await world.service.control.requests()).map(({ query }) => query);

describe('pages', () => {
	for (const [behaviour, pages] of Object.entries({
		'follows every page': contactPages.minimal,
		...contactPages.more,
	})) {
		test(`${behaviour}`, async () => {
			await expectCase(world, contactPages, pages);
		});
	}

	test('stops with an error when the service repeats a page forever', async () => {
		await prepareService(world, {});
		const data = count(50).map((index) => ({ phone: `9055500000${10 + index}`, name: 'Ada' }));
		const body = { success: true, data, pagination: { page: 1, limit: 50, total: 1000 } };
		await world.service.control.addFault({ kind: 'status', status: 200, body, times: 'always' });
		const execution = await runOperation(world, getContacts, { returnAll: true });
		expect(execution.status).toBe('error');
		expect(execution.nodeError(OPERATION)?.message).toContain('same page');
		expect(await queries()).toHaveLength(2);
	});
});

describe('messages of a chat', () => {
	test('follows the cursor until nothing is older', async () => {
		const ids = await seedMessages(count(450));
		const execution = await runOperation(world, getMessages, all);
		expect(execution.items(OPERATION).map(({ json }) => json.id)).toEqual(ids);
		expect((await queries()).map(({ limit }) => limit)).toEqual(['200', '200', '200']);
	});

	test('returns each message once when some share a second at the end of a page', async () => {
		// The messages 195 to 204 have the same time, and a page ends after the message 199.
		const ids = await seedMessages(count(400).map((index) => (index >= 195 && index < 205 ? 195 : index)));
		const execution = await runOperation(world, getMessages, all);
		expect(execution.items(OPERATION).map(({ json }) => json.id)).toEqual(ids);
	});

	test('stops with an error when more messages share a second than fit on a page', async () => {
		await seedMessages(count(300).map((index) => (index < 250 ? 0 : index)));
		const execution = await runOperation(world, getMessages, all);
		expect(execution.error?.message).toBe('The service keeps returning the same page of the list');
	});

	test('returns each message once when others arrive meanwhile', async () => {
		const ids = await seedMessages(count(450));
		const { control } = world.service;
		await control.addFault({ operationId: 'chat.getMessages', kind: 'hold', when: 'after' });
		const running = runOperation(world, getMessages, all);
		await firstPageTaken();
		await control.incomingMessage({ from: '905551234567', body: 'new', timestamp: newest + 1 });
		await control.clearFaults();
		expect((await running).items(OPERATION).map(({ json }) => json.id)).toEqual(ids);
	});

	test('splits a limit above 200 into pages', async () => {
		const ids = await seedMessages(count(450));
		const execution = await runOperation(world, getMessages, {
			chatId: byId(chatId),
			returnAll: false,
			limit: 250,
		});
		expect(execution.items(OPERATION).map(({ json }) => json.id)).toEqual(ids.slice(0, 250));
		expect((await queries()).map(({ limit }) => Number(limit) <= 200)).toEqual([true, true]);
	});

	test('starts at Before and goes on from there', async () => {
		const ids = await seedMessages(count(450));
		const before = new Date((newest - 100) * 1000).toISOString();
		const execution = await runOperation(world, getMessages, { ...all, filters: { before } });
		expect(execution.items(OPERATION).map(({ json }) => json.id)).toEqual(ids.slice(101));
	});
});

describe('pages that change meanwhile', () => {
	const phones = contactPages.minimal.items.map(({ json }) => json.phone);

	/** Returns what the list gives when the service changes between its first page and the others. */
	const listWhile = async (parameters: INodeParameters, change: () => Promise<unknown>) => {
		await prepareService(world, contactPages);
		const { control } = world.service;
		await control.addFault({ operationId: 'contact.getAll', kind: 'hold', when: 'after' });
		const running = runOperation(world, getContacts, parameters);
		await firstPageTaken();
		await change();
		await control.clearFaults();
		return (await running).items(OPERATION).map(({ json }) => json.phone);
	};

	test('return each contact once when others come in front of it', async () => {
		const found = await listWhile(
			contactPages.minimal.parameters,
			async () =>
				await world.service.control.seed({
					contacts: [{ phone: '905540000001' }, { phone: '905540000002' }],
				}),
		);
		expect(found).toEqual(expect.arrayContaining(phones));
		expect(new Set(found).size).toBe(found.length);
	});

	test('return a contact that moves to the front meanwhile', async () => {
		const found = await listWhile(
			{ returnAll: true },
			async () => await world.service.control.incomingMessage({ from: '905550000119', body: 'Hello' }),
		);
		expect(found).toEqual(expect.arrayContaining(phones));
		expect(new Set(found).size).toBe(found.length);
	});
});
