import type { ApiRequest, Endpoint } from '../../../../nodes/MessagingChannel/api/apiRequest';
import { ApiError } from '../../../../nodes/MessagingChannel/api/errors';
import type {
	SendReconciliation,
	TextSend,
} from '../../../../nodes/MessagingChannel/execution/sending/sendReconciliation';
import type { SendLog } from '../../../../nodes/MessagingChannel/execution/sending/sendLog';
import {
	sendOnce,
	type SendDependencies,
} from '../../../../nodes/MessagingChannel/execution/sending/sendOnce';

const calls: Record<NonNullable<Endpoint['sends']>, Endpoint> = {
	text: { method: 'POST', path: '/messages/send', permission: 'messages:send', sends: 'text' },
	other: { method: 'POST', path: '/messages/broadcast', permission: 'messages:send', sends: 'other' },
};

const unconfirmed = new ApiError({
	message: 'It may have been sent',
	description: '',
	code: 'send_timeout',
	httpStatus: 504,
	ambiguous: true,
});

/** Tools that note which texts they were told of, and find any message in its chat. */
function tools() {
	const seen: string[] = [];
	const note =
		(what: string) =>
		({ to, message }: TextSend): void =>
			void seen.push(`${what} ${message} to ${to}`);
	const reconciliation: SendReconciliation = {
		attempted: note('attempted'),
		confirmed: note('confirmed'),
		refused: note('refused'),
		find: async (text) => {
			note('looked for')(text);
			return await Promise.resolve({ id: 'found' });
		},
	};
	const log: SendLog = { find: () => undefined, record: () => {}, forget: () => {}, clear: () => {} };
	const clock: SendDependencies['clock'] = {
		now: () => 0,
		random: () => 0,
		sleep: async () => {},
		yield: async () => {},
	};
	return { seen, tools: { clock, log, reconciliation } };
}

const requestOf = (sends: NonNullable<Endpoint['sends']>): ApiRequest => ({
	endpoint: calls[sends],
	parameters: { to: 'Ada', message: 'Hello', priority: 1 },
});

test('a text that was not confirmed is looked for in its chat', async () => {
	const { seen, tools: given } = tools();

	const sent = sendOnce(
		given,
		{ request: requestOf('text'), itemIndex: 0, partitionKey: 'Ada' },
		'verify',
		async () => await Promise.reject(unconfirmed),
	);

	await expect(sent).resolves.toEqual([{ id: 'found', verified: true }]);
	expect(seen).toEqual(['attempted Hello to Ada', 'looked for Hello to Ada']);
});

test('a text that was confirmed is noted, to be told from others like it', async () => {
	const { seen, tools: given } = tools();

	await sendOnce(
		given,
		{ request: requestOf('text'), itemIndex: 0, partitionKey: 'Ada' },
		'verify',
		async () => await Promise.resolve([{ queued: true }]),
	);

	expect(seen).toEqual(['attempted Hello to Ada', 'confirmed Hello to Ada']);
});

test('what is no text of one chat is not looked for, even if it has a recipient and words', async () => {
	const { seen, tools: given } = tools();

	const sent = sendOnce(
		given,
		{ request: requestOf('other'), itemIndex: 0, partitionKey: 'Ada' },
		'verify',
		async () => await Promise.reject(unconfirmed),
	);

	await expect(sent).rejects.toBe(unconfirmed);
	expect(seen).toEqual([]);
});

test('a text that was refused is forgotten', async () => {
	const { seen, tools: given } = tools();
	const refused = new ApiError({ message: '', description: '', code: 'validation_error', httpStatus: 400 });

	const sent = sendOnce(
		given,
		{ request: requestOf('text'), itemIndex: 0, partitionKey: 'Ada' },
		'verify',
		async () => await Promise.reject(refused),
	);

	await expect(sent).rejects.toBe(refused);
	expect(seen).toEqual(['attempted Hello to Ada', 'refused Hello to Ada']);
});
