import type { IDataObject } from 'n8n-workflow';

import { SEND_MESSAGE } from '../../../../nodes/MessagingChannel/api/endpoints';
import { ApiError, unconfirmedError } from '../../../../nodes/MessagingChannel/api/errors';
import { requestKeysOf } from '../../../../nodes/MessagingChannel/execution/sending/requestIds/requestKeys';
import type { SendClaims, SendStatus } from '../../../../nodes/MessagingChannel/execution/sending/sendClaims';
import { sendLogOf, type Send } from '../../../../nodes/MessagingChannel/execution/sending/sendLog';
import {
	registerPossibleText,
	sendOnce,
	type SendDependencies,
} from '../../../../nodes/MessagingChannel/execution/sending/sendOnce';
import type {
	SendReconciliation,
	TextSend,
} from '../../../../nodes/MessagingChannel/execution/sending/sendReconciliation';
import { virtualClock } from '../../../support/engine/clock';
import { contextOf } from '../context';

const START = Date.UTC(2030, 0, 31, 9);
const to = '905551112233';

const send: Send = {
	request: { endpoint: SEND_MESSAGE, parameters: { to, message: 'Hello' } },
	itemIndex: 0,
	partitionKey: to,
};
const identified: Send = { ...send, ...requestKeysOf('node', 'account', 'march') };

/** Claims in the database, which know this of a send, and what they are told. */
function claimsWith(told: string[], status: SendStatus = { state: 'new' }): SendClaims {
	const tell = (what: string) => void told.push(what);
	return {
		claim: async () => {
			tell('claim');
			return await Promise.resolve(status);
		},
		confirm: () => tell('confirm'),
		withdraw: () => tell('withdraw'),
		release: () => tell('release'),
		close: async () => await Promise.resolve(),
	};
}

/** A run of a node, as the tool of an agent or not, and what it does besides its requests. */
function runOf(type = 'messagingChannel', inChat?: IDataObject) {
	const kept: IDataObject = {};
	const log = sendLogOf(
		contextOf({
			getContext: () => kept,
			getNode: () => ({ type }),
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		}),
		0,
	);
	const recovered: TextSend[] = [];
	const queued: string[] = [];
	const attempted: TextSend[] = [];
	const nothing = () => undefined;
	const reconciliation: SendReconciliation = {
		attempted: (text) => void attempted.push(text),
		confirmed: nothing,
		refused: nothing,
		find: async () => await Promise.resolve(inChat),
		recover: async (text) => {
			recovered.push(text);
			return await Promise.resolve(inChat ?? 'missing');
		},
	};
	let requests = 0;
	const make = async (
		made: Send,
		answer: IDataObject[] | Error | Promise<IDataObject[]> = [{ queued: true }],
		claims: Pick<SendDependencies, 'retried' | 'requestIds'> = {},
	) =>
		await sendOnce(
			{
				clock: virtualClock(undefined, START),
				log,
				reconciliation,
				noteQueued: (recipient) => void queued.push(recipient),
				...claims,
			},
			made,
			'verify',
			async () => {
				requests++;
				return await (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer));
			},
		);
	return { make, log, reconciliation, attempted, recovered, queued, requests: () => requests };
}

const refused = (details: Partial<ConstructorParameters<typeof ApiError>[0]> = {}) =>
	new ApiError({ message: 'No', description: '', code: 'invalid_request', httpStatus: 400, ...details });

describe("an agent's call that repeats one in flight", () => {
	test('waits for it, and sends nothing', async () => {
		const { make, requests } = runOf('messagingChannelTool');
		let answer: (records: IDataObject[]) => void = () => {};
		const first = make(send, new Promise<IDataObject[]>((resolve) => (answer = resolve)));

		const second = make(send);
		answer([{ job_id: '1' }]);

		expect(await first).toStrictEqual([{ job_id: '1' }]);
		expect(await second).toStrictEqual([{ job_id: '1', already_sent: true }]);
		expect(requests()).toBe(1);
	});

	test('sends the message itself when the first was refused', async () => {
		const { make, requests } = runOf('messagingChannelTool');
		const first = make(send, refused());

		const others = [make(send), make(send)];

		await expect(first).rejects.toThrow('No');
		expect(await Promise.all(others)).toStrictEqual([
			[{ queued: true }],
			[{ queued: true, already_sent: true }],
		]);
		expect(requests()).toBe(2);
	});
});

describe('a failure that does not say whether the request was made', () => {
	const unclear = refused({ code: 'network_error', httpStatus: null });

	test('leaves a send with a request ID uncertain, and its ID used', async () => {
		const told: string[] = [];
		const { make, log } = runOf();

		const made = make(identified, unclear, { requestIds: claimsWith(told) });

		await expect(made).rejects.toMatchObject({ ambiguous: true });
		expect(told).toEqual(['claim', 'release']);
		expect(log.find(identified)).toBeUndefined();
	});

	test('leaves any other as it is', async () => {
		const told: string[] = [];
		const { make, log } = runOf();

		const made = make(send, unclear, { retried: claimsWith(told) });

		await expect(made).rejects.toMatchObject({ ambiguous: false });
		expect(told).toEqual(['claim', 'withdraw']);
		expect(log.find(send)).toBeUndefined();
	});

	test('is not taken for one of the service when the code fails', async () => {
		const told: string[] = [];
		const broken = new Error('Out of memory');

		const made = runOf().make(identified, broken, { requestIds: claimsWith(told) });

		await expect(made).rejects.toBe(broken);
		expect(told).toEqual(['claim', 'withdraw']);
	});
});

test.each<[string, IDataObject[], string]>([
	['by the chat ID in the answer', [{ to: `${to}@c.us` }], `${to}@c.us`],
	['by the number when the answer has none', [{ queued: true }], to],
	['by the number when the answer has no record', [], to],
])('the recipient of a queued text is known %s', async (_, answer, expected) => {
	const { make, queued } = runOf();

	await make(send, answer);

	expect(queued).toEqual([expected]);
});

test.each([
	['of the number that it names', to, [to]],
	['of the full number, too, when it names one without the country code', '05551112233', ['05551112233', to]],
])('a retry records a send as that %s', async (_, number, expected) => {
	const confirmed: string[] = [];
	const retried = {
		...claimsWith([]),
		confirm: ({ partitionKey }: Send) => void confirmed.push(partitionKey),
	};
	const parameters = { to: number, message: 'Hello' };

	await runOf().make(
		{ ...send, request: { ...send.request, parameters }, partitionKey: number },
		[{ to: `${to}@c.us` }],
		{ retried },
	);

	expect(confirmed).toEqual(expected);
});

describe('the next try of a run', () => {
	test('does not release what the first has released', async () => {
		const told: string[] = [];
		const { make, requests } = runOf();
		const claims = { retried: claimsWith(told) };
		await expect(make(send, unconfirmedError(), claims)).rejects.toThrow();
		expect(told).toEqual(['claim', 'release']);

		await expect(make(send, undefined, claims)).rejects.toMatchObject({ ambiguous: true });

		expect(told).toEqual(['claim', 'release']);
		expect(requests()).toBe(1);
	});

	test.each<[string, Send, string[], IDataObject]>([
		['records a request ID as used', identified, ['claim', 'confirm'], { request_id: 'march' }],
		['records nothing for a send without one', send, [], {}],
	])('%s', async (_, made, expected, more) => {
		const told: string[] = [];
		const { make, requests } = runOf();
		await make(made, [{ job_id: '1' }], { requestIds: claimsWith([]) });

		const again = await make(made, undefined, { requestIds: claimsWith(told) });

		expect(again).toStrictEqual([{ job_id: '1', already_sent: true, ...more }]);
		expect(told).toEqual(expected);
		expect(requests()).toBe(1);
	});
});

test.each([
	['not before that execution', START - 60_000, START - 60_000],
	['from now on, if nobody knows when that was', undefined, START],
])('a text of an earlier execution is looked for %s', async (_, sentAfter, expected) => {
	const { make, recovered } = runOf('messagingChannel', { id: 'it' });
	const earlier = { hasSameText: true, isDecidedByChat: true, sentAfter };
	const requestIds = claimsWith([], { state: 'unconfirmed', earlier });

	expect(await make(identified, undefined, { requestIds })).toStrictEqual([
		{ id: 'it', verified: true, already_sent: true, request_id: 'march' },
	]);
	expect(recovered.map(({ attemptedAt }) => attemptedAt)).toEqual([expected]);
});

test('a text with a request ID is known by it, and any other by an ID of its own', async () => {
	const { make, attempted } = runOf();
	await make(identified, undefined, { requestIds: claimsWith([]) });
	await make({ ...send, itemIndex: 1 });
	await make({ ...send, itemIndex: 2 });

	expect(attempted.map(({ id }) => id)).toEqual([
		identified.id,
		expect.stringMatching(/^.{36}$/),
		expect.stringMatching(/^.{36}$/),
	]);
	expect(attempted[1]?.id).not.toBe(attempted[2]?.id);
});

test('only a text is looked for in the chat', () => {
	const { attempted, reconciliation } = runOf();
	const clock = virtualClock();
	const image = { ...identified, request: { endpoint: { ...SEND_MESSAGE, sends: 'other' } as const } };

	for (const possible of [image, identified]) registerPossibleText({ clock, reconciliation }, possible);

	expect(attempted.map(({ message }) => message)).toEqual(['Hello']);
});
