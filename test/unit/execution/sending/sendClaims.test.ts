import type { Send } from '../../../../nodes/MessagingChannel/execution/sending/sendLog';
import {
	inBoth,
	type SendClaims,
	type SendStatus,
} from '../../../../nodes/MessagingChannel/execution/sending/sendClaims';

const send: Send = {
	request: { endpoint: { method: 'POST', path: '/messages/send', permission: 'messages:send' } },
	itemIndex: 0,
	partitionKey: 'undefined',
};

/** A store that knows this about the send, and what it was told then. */
function storeWith(status: SendStatus | Error) {
	const told: string[] = [];
	const claims: SendClaims = {
		claim: async () =>
			status instanceof Error ? await Promise.reject(status) : await Promise.resolve(status),
		confirm: () => void told.push('confirm'),
		withdraw: () => void told.push('withdraw'),
		release: () => void told.push('release'),
		close: async () => void (await Promise.resolve(told.push('close'))),
	};
	return { claims, told };
}

const bothWith = (first: SendStatus | Error, second: SendStatus | Error) => {
	const [one, other] = [storeWith(first), storeWith(second)];
	return { both: inBoth(one.claims, other.claims), told: [one.told, other.told] };
};

const isNew: SendStatus = { state: 'new' };
const sent: SendStatus = { state: 'sent' };
const unconfirmed: SendStatus = { state: 'unconfirmed' };

test.each<[SendStatus, SendStatus, string[][]]>([
	[sent, isNew, [[], ['confirm']]],
	[unconfirmed, sent, [['confirm'], []]],
	[sent, sent, [[], []]],
])('of %j and %j, the one that knows it was sent tells the other', async (first, second, expected) => {
	const { both, told } = bothWith(first, second);

	expect(await both.claim(send)).toEqual(sent);
	expect(told).toEqual(expected);
});

test.each<[SendStatus, SendStatus, SendStatus]>([
	[isNew, unconfirmed, unconfirmed],
	[unconfirmed, isNew, unconfirmed],
	[isNew, { state: 'sentOtherwise' }, { state: 'sentOtherwise' }],
	[unconfirmed, { state: 'sentOtherwise' }, { state: 'sentOtherwise' }],
	[isNew, isNew, isNew],
])('of %j and %j, the status is %j', async (first, second, expected) => {
	const { both, told } = bothWith(first, second);

	expect(await both.claim(send)).toEqual(expected);
	expect(told).toEqual([[], []]);
});

test.each<[SendStatus, string[]]>([
	[isNew, ['withdraw']],
	[unconfirmed, ['release']],
	[sent, []],
])('when the second cannot be read, %j in the first ends with %j', async (first, expected) => {
	const { both, told } = bothWith(first, new Error('database is locked'));

	await expect(both.claim(send)).rejects.toThrow('database is locked');
	expect(told).toEqual([expected, []]);
});

test('both learn how the send ended', async () => {
	const { both, told } = bothWith(isNew, isNew);

	both.confirm(send);
	both.withdraw(send);
	both.release(send);
	await both.close();

	expect(told).toEqual(Array(2).fill(['confirm', 'withdraw', 'release', 'close']));
});
