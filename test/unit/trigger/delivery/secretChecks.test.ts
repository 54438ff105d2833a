import {
	noteVerified,
	openSecretCheck,
	startSecretCheck,
	wasVerified,
} from '../../../../nodes/MessagingChannel/trigger/delivery/secretChecks';

const startedAt = 1_900_000_000_000;
const tokenOf = (digit: number) => `${startedAt}-3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6${digit}`;
const LATER = startedAt + 60_000;

test('a check stays open while another starts', () => {
	const check = startSecretCheck(tokenOf(1), 'secret');
	startSecretCheck(tokenOf(2), 'secret');
	expect(openSecretCheck(tokenOf(1), LATER)).toBe(check);
});

test('an ended check is kept only until the next one starts', () => {
	startSecretCheck(tokenOf(3), 'secret').end();
	expect(openSecretCheck(tokenOf(3), startedAt)).toBeUndefined();
	startSecretCheck(tokenOf(4), 'secret');
	// Like the check of another process: only its token is known.
	expect(openSecretCheck(tokenOf(3), startedAt)).toEqual({ report: expect.any(Function) });
});

test('a secret counts as checked for five minutes, and no other one does', () => {
	noteVerified({ body: { account_id: 'account-1' } }, 'secret', startedAt);
	expect(wasVerified('account-1', 'secret', startedAt + 300_000)).toBe(true);
	expect(wasVerified('account-1', 'secret', startedAt + 300_001)).toBe(false);
	expect(wasVerified('account-1', 'another secret', startedAt)).toBe(false);
	expect(wasVerified('account-2', 'secret', startedAt)).toBe(false);
});
