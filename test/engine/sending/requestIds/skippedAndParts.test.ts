import type { IDataObject } from 'n8n-workflow';

import { CONTINUES, person, useEngine } from '../../../support/engine/engine';
import { newKeyRow } from '../../../support/engine/keyRow';
import { ID, images, killedWhenSending, rows, startedAnew } from '../../../support/engine/requestIds';
import { jsonOf, type Run } from '../../../support/engine/run';

const engine = useEngine();
const runAnew = startedAnew(engine);
const killedAt = killedWhenSending(engine);

describe('with contacts who are skipped', () => {
	const options = { ...ID, skipTags: ['unsubscribed'] };
	const tag = async (number: number, tags: string[]) =>
		await engine.service.control.seed({
			tags: [{ name: 'unsubscribed' }],
			contacts: [{ phone: person(number), tags }],
		});
	const statesOf = (run: Run) =>
		jsonOf(run).map(({ skipped, already_sent, queued }) =>
			skipped ? 'skipped' : already_sent ? 'sent before' : queued ? 'sent' : 'other',
		);

	// The chat could not show that an image was never sent.
	test('a skipped ID is free again', async () => {
		const toThree = { ...images(rows(3)), options };
		const row = newKeyRow();
		await tag(1, ['unsubscribed']);
		const first = await runAnew(row, toThree);
		expect(statesOf(first)).toEqual(['sent', 'skipped', 'sent']);
		const second = await runAnew(row, toThree);
		expect(statesOf(second)).toEqual(['sent before', 'skipped', 'sent before']);
		await tag(1, []);
		await tag(2, ['unsubscribed']);

		const third = await runAnew(row, toThree);

		expect(statesOf(third)).toEqual(['sent before', 'sent', 'sent before']);
		expect(third.output.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
		const requests = await engine.requests('media.sendImage');
		const recipients = requests.map(({ body }) => (body as IDataObject).to);
		expect([...recipients.slice(0, 2).sort(), recipients[2]]).toEqual([0, 2, 1].map(person));
	});

	test('who opts out after n8n was killed gets no message, although the text was begun', async () => {
		const left = await killedAt('m 1', 'before', newKeyRow(), { items: rows(3) });
		await tag(1, ['unsubscribed']);

		const second = await runAnew(left, { items: rows(3), options });

		expect(statesOf(second)).toEqual(['sent before', 'skipped', 'sent']);
		expect(await engine.accepted()).toEqual(['m 0', 'm 2']);
	});
});

describe('a text that goes out as several messages', () => {
	const long = {
		items: [{ to: person(0), message: 'First part. Second part.', row: 0 }],
		options: { ...ID, splitLongText: 12 },
	};
	const parts = ['First part.', 'Second part.'];

	test('goes on after the part that was refused, with Retry On Fail', async () => {
		const row = newKeyRow();
		await engine.spoilSend({ kind: 'status', status: 400 }, 'Second part.');
		const first = await runAnew(row, long);
		expect(first.error).toBeDefined();

		await engine.run({ ...long, row, execution: first.execution, node: { id: 'retry' } });
		const third = await runAnew(row, long);

		expect(await engine.accepted()).toEqual(parts);
		expect(jsonOf(third)).toMatchObject([{ already_sent: true, request_id: '0-march' }]);
	});

	test('is uncertain after n8n was killed between two parts', async () => {
		const left = await killedAt('Second part.', 'before', newKeyRow(), long);

		const second = await runAnew(left, { ...long, node: CONTINUES });

		expect(jsonOf(second)[0]).toMatchObject({ ambiguous: true });
		expect(await engine.accepted()).toEqual(['First part.']);
	});

	test('says how to send what is missing after a part was refused, and that works', async () => {
		const row = newKeyRow();
		const advice = "put only them into an item, with another 'Request ID'";
		await engine.spoilSend({ kind: 'status', status: 400 }, 'Second part.');

		const first = await runAnew(row, { ...long, node: CONTINUES });
		const second = await runAnew(row, { ...long, node: CONTINUES });
		await runAnew(row, { ...long, items: [{ to: person(0), message: 'Second part.', row: 1 }] });

		const [refused, uncertain] = [first, second].map((run) => jsonOf(run)[0]?.description);
		expect(refused).toMatch(/^1 of 2 parts of the text were sent\. A retry .* A new execution sends no part/);
		expect(refused).toContain(advice);
		expect(uncertain).toContain('An earlier execution sent parts of this text');
		expect(uncertain).toContain('which parts were sent');
		expect(uncertain).toContain(advice);
		expect(await engine.accepted()).toEqual(parts);
	});

	test('is free again when the service refused its first part', async () => {
		const row = newKeyRow();
		await engine.spoilSend({ kind: 'status', status: 400 }, 'First part.');
		await runAnew(row, { ...long, node: CONTINUES });

		await runAnew(row, long);

		expect(await engine.accepted()).toEqual(parts);
	});
});
