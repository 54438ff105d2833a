import { SEND_MESSAGE } from '../../../../nodes/MessagingChannel/api/endpoints';
import { retriedSendsOf } from '../../../../nodes/MessagingChannel/execution/sending/retriedSends';
import type { SendClaims } from '../../../../nodes/MessagingChannel/execution/sending/sendClaims';
import type { Send } from '../../../../nodes/MessagingChannel/execution/sending/sendLog';
import { virtualClock } from '../../../support/engine/clock';
import { keyRowHelpers, newKeyRow, type KeyRow } from '../../../support/engine/keyRow';
import { contextOf } from '../context';

const to = '905551112233';

const text = (itemIndex: number): Send => ({
	request: { endpoint: SEND_MESSAGE, parameters: { to, message: 'One. Two.' } },
	itemIndex,
	partitionKey: to,
});

/** The first part of a text. */
const firstPartOf = (send: Send): Send => ({
	...send,
	part: { index: 0, texts: ['One.', 'Two.'], whole: send.request },
});

const isNew = { state: 'new' };
const isSent = { state: 'sent' };
const isSentOtherwise = { state: 'sentOtherwise' };
const isUnconfirmed = { state: 'unconfirmed' };

let nodes = 0;

/** A node whose execution is retried again and again, and its row in n8n's database. */
function nodeWith(row: KeyRow = newKeyRow()) {
	const clock = virtualClock();
	const id = `node ${++nodes}`;
	const helpers = keyRowHelpers(row);
	const retry = (mode = 'retry'): SendClaims | undefined =>
		retriedSendsOf(
			contextOf({
				getMode: () => mode,
				getExecutionContext: () => ({ establishedAt: 1 }),
				getWorkflowDataProxy: () => ({ $runIndex: 0, $execution: { resumeUrl: 'http://n8n/1?signature=2' } }),
				getNode: () => ({ id, type: 'messagingChannel' }),
				getWorkflow: () => ({ id: 'workflow' }),
				logger: { warn: () => {} },
				helpers,
			}),
			clock,
		);
	/** A retry that makes these sends to its end. Returns what it found of them. */
	const retryOf = async (...sends: Send[]) => {
		const claims = retry()!;
		const statuses = await Promise.all(sends.map(async (send) => await claims.claim(send)));
		for (const [index, send] of sends.entries()) {
			if (statuses[index]?.state === 'new') claims.confirm(send);
			else claims.release(send);
		}
		await claims.close();
		return statuses;
	};
	return { clock, row, retry, retryOf };
}

test('only a retry has earlier retries', () => {
	expect(nodeWith().retry('manual')).toBeUndefined();
});

test('a text that was sent in parts is told from one that was sent as a whole, retry after retry', async () => {
	const { retryOf } = nodeWith();
	const [split, whole] = [text(0), text(1)];
	expect(await retryOf(firstPartOf(split), whole)).toEqual([isNew, isNew]);

	expect(await retryOf(split, whole)).toEqual([isSentOtherwise, isSent]);
	expect(await retryOf(split, whole)).toEqual([isSentOtherwise, isSent]);
});

test.each([
	['a text', SEND_MESSAGE, 2],
	['a file, which has no parts', { ...SEND_MESSAGE, sends: 'other' } as const, 1],
])('whether %s was sent takes few calls to the database', async (_, endpoint, expected) => {
	const { row, retry, retryOf } = nodeWith();
	const send = { ...text(0), request: { ...text(0).request, endpoint } };
	await retryOf(send);
	const { calls } = row;
	const claims = retry();

	expect(await claims?.claim(send)).toEqual(isSent);
	expect(row.calls - calls).toBe(expected);
	await claims?.close();
});

test('what another process has overwritten is still known to a second retry in this one', async () => {
	const { row, retry } = nodeWith();
	const [first, second] = [retry(), retry()];
	await first?.claim(text(0));
	row.keys = [];

	expect(await second?.claim(text(0))).toEqual(isUnconfirmed);
	await Promise.all([first?.close(), second?.close()]);
});

describe('at its end, a retry', () => {
	test('asks nothing when it has sent nothing', async () => {
		const { clock, row, retry } = nodeWith();
		const claims = retry();
		await claims?.claim(text(0));
		claims?.withdraw(text(0));
		await claims?.close();

		// One call records the send, and one removes it.
		expect(row.calls).toBe(2);
		expect(clock.skippedMs).toBe(0);
		expect(row.keys).toEqual([]);
	});

	test('waits until no process can overwrite what it has recorded', async () => {
		const { clock, retry } = nodeWith();
		const claims = retry();
		await claims?.claim(text(0));
		claims?.confirm(text(0));
		await clock.sleep(500);

		await claims?.close();

		expect(clock.skippedMs).toBe(2000);
	});

	test('records what is overwritten, five times at most', async () => {
		const row = newKeyRow();
		let overwritten = 0;
		// Another process writes the row as it was before.
		Object.defineProperty(row, 'keys', { get: () => [], set: () => void overwritten++ });
		const { clock, retry } = nodeWith(row);
		const claims = retry();
		await claims?.claim(text(0));

		await claims?.close();

		expect(overwritten).toBe(1 + 5);
		expect(clock.skippedMs).toBe(5 * 2000);
	});

	test('records it although the database fails once', async () => {
		const { row, retry, retryOf } = nodeWith();
		const claims = retry();
		await claims?.claim(text(0));
		row.keys = [];
		let failures = 0;
		Object.defineProperty(row, 'isBroken', { get: () => failures++ === 0 });

		await claims?.close();

		expect(await retryOf(text(0))).toEqual([isUnconfirmed]);
	});
});
