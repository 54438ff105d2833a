import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CONTINUES, person, useEngine } from '../../support/engine/engine';
import type { Run } from '../../support/engine/run';

const engine = useEngine();

const to = person(1);
const chat = `${to}@c.us`;
const hello = { to, message: 'Hello' };

/** The two fields by which rows are joined. */
const rowsOf = ({ output }: Run) => output.map(({ json }) => [json.to, json.outcome]);

const optOut = async () =>
	await engine.service.control.seed({
		tags: [{ name: 'unsubscribed' }],
		contacts: [{ phone: person(2), tags: ['unsubscribed'] }],
	});

test.each<[outcome: string, expected: string, given: () => Promise<unknown>, options: INodeParameters]>([
	['queued', chat, async () => undefined, {}],
	['sent', chat, async () => undefined, { sync: true }],
	['verified', chat, async () => await engine.loseSend('after'), {}],
	['uncertain', to, async () => await engine.loseSend('before'), { afterAmbiguousSend: 'fail' }],
])('a text that is %s says so, and to %s', async (outcome, expected, given, options) => {
	await given();

	expect(rowsOf(await engine.run({ items: [hello], options, node: CONTINUES }))).toEqual([
		[expected, outcome],
	]);
});

test('every item of a run has the same recipient in the same form, whatever became of it', async () => {
	await optOut();
	const items = [
		hello,
		// cspell:ignore forbiddenword
		{ to: `+${to}`, message: 'a forbiddenword' },
		{ to: chat, message: '' },
		{ to: person(2), message: 'Hello' },
		{ to: 'nobody', message: 'Hello' },
	];

	const run = await engine.run({ items, options: { skipTags: ['unsubscribed'] }, node: CONTINUES });

	expect(rowsOf(run)).toEqual([
		[chat, 'queued'],
		[chat, 'not_sent'],
		[chat, 'not_sent'],
		[person(2), 'skipped'],
		[undefined, 'not_sent'],
	]);
});

const byPhone = { __rl: true, mode: 'phone', value: to };
test.each<[operation: string, parameters: INodeParameters, row: IDataObject]>([
	['media:sendImage', { to: byPhone, mediaSource: 'url', mediaUrl: 'https://example.com/a.png' }, { to }],
	[
		'scheduledMessage:create',
		{ to: byPhone, message: 'Hello', scheduledAt: '2099-01-01T00:00:00Z' },
		{ to: chat },
	],
	['broadcast:create', { name: 'Sale', recipients: `${to}, ${person(3)}`, message: 'Hello' }, {}],
])('the item of %s says what became of it', async (operation, parameters, row) => {
	const { output } = await engine.run({ operation, items: [{}], parameters });

	expect(output.map(({ json }) => json)).toMatchObject([{ ...row, outcome: 'queued' }]);
	expect('to' in (output[0]?.json ?? {})).toBe('to' in row);
});

test.each(['scheduledMessage', 'broadcast'])('%s: what comes later is not sent yet', async (resource) => {
	const body = { success: true, data: { id: '1', queued: false } };
	const operationId = `${resource}.create`;
	await engine.service.control.addFault({ kind: 'status', status: 200, operationId, body });
	const recipient = resource === 'broadcast' ? { name: 'Sale', recipients: to } : { to: byPhone };
	const parameters = { ...recipient, message: 'Hello', scheduledAt: '2099-01-01T00:00:00Z' };

	const { output } = await engine.run({ operation: `${resource}:create`, items: [{}], parameters });

	expect(output.map(({ json }) => json.outcome)).toEqual(['queued']);
});

test('parts that the service names itself are put out as they are', async () => {
	const body = { success: true, queued: true, parts: ['one', null, { id: 3 }] };
	await engine.spoilSend({ kind: 'status', status: 202, body });

	const { output } = await engine.run({ items: [hello] });

	expect(output[0]?.json.parts).toEqual(['one', null, { id: 3, to, outcome: 'queued' }]);
});

test('what is no send has no outcome', async () => {
	const create = async () =>
		await engine.run({ operation: 'tag:create', items: [{}], parameters: { name: 'VIP' }, node: CONTINUES });
	const created = await create();
	await engine.service.control.addFault({ kind: 'status', status: 400, operationId: 'tag.create' });

	const rows = [...created.output, ...(await create()).output];
	expect(rows).toHaveLength(2);
	for (const { json } of rows) expect(json).not.toHaveProperty('outcome');
});
