import { accountDigestIn } from '../../../../nodes/MessagingChannel/api/authentication';
import { accountIn } from '../../../../nodes/MessagingChannel/trigger/account/account';
import {
	reportItem,
	unverifiedReport,
	type FailureReason,
} from '../../../../nodes/MessagingChannel/trigger/delivery/reports';
import { fetchesOf } from '../../../../nodes/MessagingChannel/trigger/delivery/status';
import { HOUR, MINUTE, SECOND, START, useLoops } from './loops';

const { clock, newTrigger } = useLoops();

describe('a trigger that polls', () => {
	test('starts an execution for what comes in, without a look-up', async () => {
		const { service, poll, executions, items, lookUps, log } = newTrigger();
		poll();
		await clock.advance(5 * SECOND);
		const message = service.write();
		await clock.advance(55 * SECOND);

		expect(executions).toEqual([[15, message]]);
		expect(items).toMatchObject([{ account_id: 'account-1', chat: { id: 'a@c.us' }, fetched: true }]);
		expect(lookUps).toEqual([]);
		expect(log).toEqual([]);
	});

	test('asks for the account once, and for the chats at each interval', async () => {
		const { service, poll } = newTrigger();
		poll();
		await clock.advance(45 * SECOND);
		expect(service.requests).toEqual(['account', 'chats', 'chats', 'chats', 'chats']);
	});

	// A loop that it follows can have started what came in within the first seconds.
	test.each([
		['activate', -1, 'is left alone'],
		['activate', 0, 'starts at once'],
		['init', 2, 'is looked up'],
		['init', 3, 'starts at once'],
	] as const)('after "%s": what came in %d seconds after its start %s', async (mode, after, what) => {
		const { service, poll, ran, lookUps } = newTrigger({ mode });
		const message = service.write(after * SECOND);
		poll();
		await clock.advance(20 * SECOND);
		expect(ran()).toEqual(what === 'starts at once' ? [message] : []);
		expect(lookUps).toEqual(what === 'is looked up' ? [[15, message]] : []);
	});

	test('leaves a missing message alone that has run by the second look-up', async () => {
		const { service, inN8n, poll, executions, lookUps } = newTrigger({ mode: 'init' });
		const message = service.write(-MINUTE);
		poll();
		await clock.advance(MINUTE);
		inN8n.ran.add(message);
		await clock.advance(10 * MINUTE);

		expect(lookUps.map(([seconds]) => seconds)).toEqual([0, 150]);
		expect(executions).toEqual([]);
	});

	test('looks a message up again that becomes due during a look-up', async () => {
		const { service, inN8n, poll, executions, lookUps } = newTrigger({ mode: 'init' });
		const first = service.write(-MINUTE, 'a@c.us');
		poll();
		await clock.advance(130 * SECOND);
		const second = service.write(-MINUTE, 'b@c.us');
		inN8n.lookUpMs = 20 * SECOND;
		await clock.advance(MINUTE);

		expect(executions).toEqual([[190, first]]);
		expect(lookUps).toEqual([
			[0, first],
			[135, second],
			[170, first],
		]);
	});

	describe('is told by a failed execution after ten minutes in which nothing can be read, once an hour:', () => {
		const outage = (since: number, reason: FailureReason = 'service') =>
			reportItem(unverifiedReport(START + since, reason)).json;

		test('no list of chats', async () => {
			const { service, poll, items, log } = newTrigger();
			poll();
			const message = service.write(MINUTE);
			service.refusal = () => ({ statusCode: 503, body: {} });
			await clock.advance(5 * MINUTE);
			service.refusal = () => undefined;
			await clock.advance(MINUTE);
			service.refusal = () => ({ statusCode: 503, body: {} });
			await clock.advance(10 * MINUTE + 15 * SECOND);

			const report = outage(6 * MINUTE + 15 * SECOND);
			expect(items).toMatchObject([{ message: { id: message } }, report]);
			await clock.advance(HOUR);
			expect(items.slice(1)).toEqual([report, report]);
			expect(log).toHaveLength(2);
		});

		test('an address that is none', async () => {
			const { credential, poll, items } = newTrigger();
			poll();
			await clock.advance(MINUTE);
			credential.baseUrl = 'https://service.example.com/another/path';
			await clock.advance(HOUR);
			expect(items).toMatchObject([outage(75 * SECOND)]);
		});

		test.each([
			['not of two chats, which may be broken', 2, 500, []],
			['no chat of three', 3, 500, [outage(0)]],
			['not of three chats that the service does not know', 3, 404, []],
			['after five looks: no chat of three that the key may read', 3, 403, [outage(0, 'key')]],
		])('%s', async (_, count, status, reports) => {
			const { service, poll, items } = newTrigger();
			poll();
			for (let chat = 0; chat < count; chat++) {
				service.write(5 * SECOND, `${chat}@c.us`);
				service.broken.set(`${chat}@c.us`, status);
			}
			await clock.advance(HOUR);
			expect(items).toEqual(reports);
		});

		test('not of two short outages beside a chat that is broken', async () => {
			const { service, poll, items } = newTrigger();
			poll();
			service.write(5 * SECOND);
			service.broken.set('a@c.us', 500);
			for (let outages = 0; outages < 2; outages++) {
				service.refusal = () => ({ statusCode: 503, body: {} });
				await clock.advance(MINUTE);
				service.refusal = () => undefined;
				await clock.advance(HOUR);
			}
			expect(items).toEqual([]);
		});

		test('not while others can be read', async () => {
			const { service, poll, items } = newTrigger();
			poll();
			for (const chat of ['a', 'b', 'c']) {
				service.write(5 * SECOND, chat);
				service.broken.set(chat, 500);
			}
			for (let minute = 1; minute < 60; minute++) {
				service.write(minute * MINUTE, 'd');
				await clock.advance(MINUTE);
			}
			expect(items.filter(({ message }) => !message)).toEqual([]);
		});
	});

	const odd = { id: 'odd@c.us', last_message_at: '31.01.2030' };
	test.each([
		['the only chat', [odd]],
		['one of two chats', [odd, { id: 'a@c.us', last_message_at: '2030-01-01T00:00:00Z' }]],
	])('is told once an hour of %s whose time is not understood', async (_, data) => {
		const { service, credential, poll, items } = newTrigger();
		poll();
		await clock.advance(0);
		service.refusal = () => ({ statusCode: 200, body: { success: true, data } });
		await clock.advance(50 * MINUTE);

		const problem = expect.stringContaining("'chat.last_message_at'") as string;
		expect(items).toEqual([{ report: { message: problem, description: expect.any(String) as string } }]);
		expect([...accountIn(credential).fetches.values()]).toMatchObject([{ problem }]);
		await clock.advance(HOUR);
		expect(items).toHaveLength(2);
	});

	test('stands with its latest account, until n8n ends it', async () => {
		const { service, credential, poll } = newTrigger();
		const notes = (apiKey: string) => fetchesOf(accountIn({ ...credential, apiKey }));
		const end = poll();
		await clock.advance(5 * SECOND);
		expect(notes('key')).toMatchObject([
			{ workflow: 'Support', isPolling: true, left: 0, problem: undefined, secondsAgo: 5 },
		]);

		credential.apiKey = 'another key';
		let during: unknown[] = [];
		service.refusal = () => ((during = notes('another key')), { statusCode: 500, body: {} });
		await clock.advance(MINUTE);
		expect(notes('key')).toEqual([]);
		for (const seen of [during, notes('another key')])
			expect(seen).toMatchObject([{ left: 0, problem: expect.any(String) as string }]);

		// A look for messages is under way.
		service.refusal = () => (end(), { statusCode: 500, body: {} });
		await clock.advance(MINUTE);
		expect(notes('another key')).toEqual([]);
	});

	test.each([
		['finds', 'whose ID the service has changed', 'key', 1],
		['leaves alone', 'that its credential was changed to', 'another key', 0],
	])('%s what came in while n8n was down at an account %s', async (_, __, apiKey, found) => {
		const { service, credential, context, poll, ran } = newTrigger({ mode: 'init' });
		const kept = context.getWorkflowStaticData('node');
		Object.assign(kept, { accountId: 'account-0', accountKey: accountDigestIn(credential) });
		credential.apiKey = apiKey;
		service.write(-HOUR);
		poll();
		await clock.advance(10 * MINUTE);
		expect(ran()).toHaveLength(found);
	});

	describe('when its credential changes', () => {
		test('to another key of the same account, goes on', async () => {
			const { service, credential, poll, executions } = newTrigger({ mode: 'init' });
			const message = service.write(-MINUTE);
			poll();
			await clock.advance(50 * SECOND);
			credential.apiKey = 'another key';
			await clock.advance(10 * MINUTE);
			expect(executions).toEqual([[150, message]]);
		});

		test.each([0, HOUR])(
			'to another account, begins anew, also if the clock of the service is %d ms ahead',
			async (aheadMs) => {
				const { service, credential, poll, executions, items, lookUps } = newTrigger({
					mode: 'init',
					aheadMs,
				});
				service.write(-MINUTE);
				poll();
				await clock.advance(50 * SECOND);
				credential.apiKey = 'key of another account';
				service.accountId = 'account-2';
				service.write(20 * SECOND, 'b@c.us');
				await clock.advance(40 * SECOND);
				const message = service.write(80 * SECOND, 'b@c.us');
				await clock.advance(10 * MINUTE);

				expect(executions).toEqual([[105, message]]);
				expect(items).toMatchObject([{ account_id: 'account-2' }]);
				expect(lookUps).toEqual([[0, 'a@c.us 0']]);
			},
		);
	});

	test('says why it does nothing when its credential cannot be read from the start', async () => {
		const { context, poll, log } = newTrigger();
		context.getCredentials = async () => await Promise.reject(new Error('It is gone'));
		poll();
		await clock.advance(MINUTE);
		expect(log).toEqual(['Listens: new messages could not be fetched: It is gone']);
	});

	test('goes on when the clock is set back', async () => {
		const { service, poll, ran, lookUps } = newTrigger();
		poll();
		await clock.advance(20 * SECOND);
		clock.set(START - HOUR);
		await clock.advance(HOUR + 40 * SECOND);
		const message = service.write();
		await clock.advance(20 * SECOND);
		expect(ran()).toEqual([message]);
		expect(lookUps).toEqual([]);
	});

	describe('goes on', () => {
		const writeIn = (write: (at: number, chatId: string) => string, chats: number) =>
			Array.from({ length: chats }, (_, index) => write(5 * SECOND, `${index}@c.us`));

		test('with chats that are still to be read after a second, and says so', async () => {
			const { service, poll, log, ran } = newTrigger();
			poll();
			await clock.advance(10 * SECOND);
			const messages = writeIn(service.write, 102);
			await clock.advance(10 * SECOND);
			expect(log).toEqual(['Listens: 2 chats with new messages are still to be read']);
			// Two requests for each chat that was never read.
			expect(service.requests.slice(-5)).toEqual(['chats', ...Array<string>(4).fill('messages')]);
			await clock.advance(10 * MINUTE);
			expect(ran().sort()).toEqual(messages.sort());
		});

		test('after the interval when chats cannot be read, and says why', async () => {
			const { service, poll, log } = newTrigger();
			poll();
			await clock.advance(10 * SECOND);
			writeIn(service.write, 5);
			for (let chat = 0; chat < 5; chat++) service.broken.set(`${chat}@c.us`, 500);
			service.requests = [];
			await clock.advance(19 * SECOND);
			expect(service.requests).toEqual(['chats', 'messages', 'messages', 'messages']);
			expect(log).toEqual([expect.stringContaining('Listens: new messages could not be fetched: ')]);
		});

		test('after the interval while thousands of messages wait for their executions', async () => {
			const { service, poll } = newTrigger({ mode: 'init' });
			for (let seconds = 2_009; seconds > 10; seconds--) service.write(-seconds * SECOND, 'a@c.us');
			service.write(-9 * SECOND, 'b@c.us');
			service.write(-8 * SECOND, 'c@c.us');
			poll();
			await clock.advance(14 * SECOND);
			expect(service.requests.filter((what) => what === 'chats')).toHaveLength(1);
		});
	});

	describe('that has ended', () => {
		const waiting = {
			'x-ratelimit-limit': '60',
			'x-ratelimit-remaining': '29',
			'x-ratelimit-reset': String(START / 1000 + 60),
		};

		test.each<[string, object, string[]]>([
			['it pauses', {}, ['account', 'chats']],
			['it waits for other requests', waiting, ['account']],
		])('while %s asks for nothing more, and waits for nothing', async (_, headers, requests) => {
			const { service, poll } = newTrigger();
			service.headers = { ...headers };
			const end = poll();
			await clock.advance(10 * SECOND);
			expect(service.requests).toEqual(requests);
			end();
			await clock.advance(10 * MINUTE);
			expect(service.requests).toEqual(requests);
			expect(clock.waits).toEqual([]);
		});

		test('tells runs that n8n cuts off from those that users stop', () => {
			const { poll, isClosed } = newTrigger();
			// Another process can run the loop.
			expect(isClosed()).toBe(false);
			const end = poll();
			expect(isClosed()).toBe(false);
			end();
			expect(isClosed()).toBe(true);
			poll();
			expect(isClosed()).toBe(false);
		});
	});
});
