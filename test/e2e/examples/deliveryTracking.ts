import omit from 'lodash/omit';

import { eventually } from '../../support/poll';
import { callerOf } from '../../support/service/testing';
import type { World } from '../../support/world/world';
import { installExample, whileActive, type Change } from './example';
import { enterRows, rowsOf } from './tables';

const TABLE = 'Messaging example: deliveries';
const HOUR_MS = 60 * 60 * 1000;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
const noTimes = { sent_at: null, delivered_at: null, read_at: null };
const allTimes = { sent_at: time, delivered_at: time, read_at: time };

/** Five people, and a number that nobody can read. */
const phones = [
	'+90 555 111 22 30',
	'+90 555 111 22 31',
	'+90 555 111 22 32',
	'+90 555 111 22 33',
	'+90 555 111 22 34',
	'unknown',
];

/** One of them, who opted out. */
const optedOut = '905551112234';

const changes: Change[] = [
	{ node: 'Recipients', parameter: 'assignments.assignments.1.value', value: JSON.stringify(phones) },
	{ node: 'Tell a person', parameter: 'to.value', value: '+90 555 999 99 99' },
];

/** The example that keeps what became of each message. */
export function deliveryTracking(world: () => World): void {
	/** Another program that uses the account. */
	const call = callerOf(() => world().service);

	test('keeps one row for each message, with its times', async () => {
		const { n8n, service } = world();
		const tag = 'unsubscribed';
		await service.control.seed({ tags: [{ name: tag }], contacts: [{ phone: optedOut, tags: [tag] }] });
		const id = await installExample(world(), 'delivery-tracking', changes);
		expect((await n8n.api.run(id, 'Every morning')).error).toBeUndefined();

		await whileActive(world(), [id], async () => {
			await call('POST', '/messages/send', { to: '905551112240', message: 'From elsewhere' });
			// The service fetches files from this machine only, and there is none at this address. Its status is not published.
			await call('POST', '/messages/send-image', {
				to: '905551112250',
				media_url: `${service.origin}/nowhere.jpg`,
			});
			expect((await n8n.api.run(id, 'Start')).error).toBeUndefined();
			await service.control.configure({ losesMessages: true });
			expect((await n8n.api.run(id, 'Start')).error).toBeUndefined();

			const rows = await eventually(
				async () => await rowsOf(world(), TABLE),
				(found) => found.filter(({ read_at }) => read_at).length === phones.length - 1,
			);
			const chats = ['905551112230', '905551112231', '905551112232', '905551112233'].map(
				(phone) => `${phone}@c.us`,
			);
			const found = rows.filter(({ problem }) => problem === null);
			expect(found.map(({ recipient }) => recipient).sort()).toEqual([...chats, '905551112240@c.us'].sort());
			const messages = await Promise.all(
				[...new Set(chats)].map((chatId) => service.control.messages({ chatId })),
			);
			const sent = messages.flat().map(({ id: messageId }) => messageId);
			expect(found.map(({ message_id }) => message_id)).toEqual(expect.arrayContaining(sent));
			for (const row of found) {
				expect(omit(row, 'message_id', 'recipient')).toEqual({ ...allTimes, problem: null });
			}
			const lost = rows.filter(({ problem }) => problem !== null);
			const isNoNumber = expect.stringMatching(/^not_sent: .*'unknown'/);
			const unread = (recipient: unknown, problem: string) => ({
				message_id: expect.stringMatching(/^unknown \d+-\d$/),
				recipient,
				...noTimes,
				problem,
			});
			const skipped = unread(expect.stringContaining(optedOut), `skipped: The contact has the tag '${tag}'`);
			expect(lost).toEqual([
				skipped,
				unread('unknown', isNoNumber),
				...chats.map((chat) => unread(chat, 'queued: not found in the chat')),
				skipped,
				unread('unknown', isNoNumber),
			]);
		});
		const executions = await n8n.api.executions(id);
		expect(executions.filter(({ status }) => status === 'error')).toEqual([]);
	});

	test('reports once what was not delivered within 24 hours', async () => {
		const { n8n, service } = world();
		const id = await installExample(world(), 'delivery-tracking', changes);
		expect((await n8n.api.run(id, 'Every morning')).error).toBeUndefined();
		const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
		const row = (recipient: string, sent_at: string, more: object = {}) => ({
			message_id: `message ${recipient}`,
			recipient,
			sent_at,
			...more,
		});
		await enterRows(world(), TABLE, [
			row('late', ago(25)),
			row('soon', ago(23)),
			row('delivered', ago(25), { delivered_at: ago(24) }),
			row('read', ago(25), { read_at: ago(1) }),
		]);

		expect((await n8n.api.run(id, 'Every morning')).error).toBeUndefined();
		expect((await n8n.api.run(id, 'Every morning')).error).toBeUndefined();

		expect(await service.control.accepted()).toMatchObject([
			{ to: '905559999999@c.us', body: '1 message(s) were not delivered within 24 hours:\nlate' },
		]);
		const rows = await rowsOf(world(), TABLE);
		expect(rows.filter(({ problem }) => problem === 'not delivered after 24 hours')).toMatchObject([
			{ recipient: 'late' },
		]);
	});
}
