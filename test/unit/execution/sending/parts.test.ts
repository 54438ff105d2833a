import { SEND_MESSAGE } from '../../../../nodes/MessagingChannel/api/endpoints';
import { sendParts } from '../../../../nodes/MessagingChannel/execution/sending/parts';
import { requestKeysOf } from '../../../../nodes/MessagingChannel/execution/sending/requestIds/requestKeys';
import type { SendClaims } from '../../../../nodes/MessagingChannel/execution/sending/sendClaims';
import type { Send, SendEntry, SendLog } from '../../../../nodes/MessagingChannel/execution/sending/sendLog';

const texts = ['First part.', 'Second part.'];

const whole: Send = {
	request: { endpoint: SEND_MESSAGE, parameters: { to: '905551112233', message: texts.join(' ') } },
	itemIndex: 0,
	partitionKey: '905551112233',
};

const inParts = (send: Send): Send[] =>
	texts.map((message, index) => ({
		...send,
		request: { ...send.request, parameters: { ...send.request.parameters, message } },
		part: { index, texts, whole: send.request },
	}));

const identified: Send = { ...whole, ...requestKeysOf('node', 'account', 'march') };

/** The claims of the items that have an ID, and what they were told. */
function claimsThatNote() {
	const told: string[] = [];
	const tell = (what: string) => void told.push(what);
	const requestIds: SendClaims = {
		claim: async () => {
			tell('claim');
			return await Promise.resolve({ state: 'new' });
		},
		confirm: () => tell('confirm'),
		withdraw: () => tell('withdraw'),
		release: () => tell('release'),
		close: async () => await Promise.resolve(),
	};
	return { requestIds, told };
}

/** A log of this run, with an entry for what was begun. */
function logWith(begun: ReadonlySet<Send> = new Set()): SendLog {
	const entry: SendEntry = { lane: '905551112233', id: 'begun', attemptedAt: 0 };
	return { find: (send: Send) => (begun.has(send) ? entry : undefined) } as unknown as SendLog;
}

test.each<[string, Send[], string[]]>([
	['all parts of a text together', inParts(identified), ['claim', 'confirm']],
	['no text without an ID, although others have one', inParts(whole), []],
	['no text in one part, whose send claims it', [identified], []],
])('the ID is claimed for %s', async (_, sends, expected) => {
	const { requestIds, told } = claimsThatNote();
	const sent: unknown[] = [];

	await sendParts(sends, { log: logWith(), requestIds }, async ({ request }) => {
		sent.push(request.parameters?.message);
		return await Promise.resolve([{ queued: true }]);
	});

	expect(sent).toEqual(sends.map(({ request }) => request.parameters?.message));
	expect(told).toEqual(expected);
});

test.each([
	['stays used after the first part may have been sent', true, 'release'],
	['is free after the first part was certainly not sent', false, 'withdraw'],
])('the ID of a stopped execution %s', async (_, isBegun, expected) => {
	const { requestIds, told } = claimsThatNote();
	const begun = new Set<Send>();
	const sends = inParts(identified);

	const made = sendParts(sends, { log: logWith(begun), requestIds }, async (send) => {
		if (isBegun) begun.add(send);
		return await Promise.reject(new Error('The execution was cancelled'));
	});

	await expect(made).rejects.toThrow('The execution was cancelled');
	expect(told).toEqual(['claim', expected]);
});
