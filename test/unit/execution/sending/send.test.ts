import { ApiError } from '../../../../nodes/MessagingChannel/api/errors';
import {
	settlementOf,
	type SendOutcome,
	type Settlement,
} from '../../../../nodes/MessagingChannel/execution/sending/send';

const error = new ApiError({ message: '', description: '', code: '', httpStatus: null });
const records = [{ id: '1' }];

const uncertain = (from: 'log' | 'journal' | 'request'): SendOutcome => ({ kind: 'uncertain', from, error });

test.each<[string, SendOutcome, Settlement]>([
	['the service confirmed', { kind: 'sent', from: 'request', records }, { log: 'answer', journal: 'made' }],
	['is in the chat', { kind: 'verified', from: 'log', records }, { log: 'answer', journal: 'made' }],
	['an earlier try made', { kind: 'alreadySent', from: 'log', records }, { log: 'keep', journal: 'made' }],
	['an earlier execution made', { kind: 'alreadySent', from: 'journal', records }, { log: 'forget' }],
	[
		'nobody may get',
		{ kind: 'skipped', from: 'request', recipients: [] },
		{ log: 'forget', journal: 'notMade' },
	],
	['was refused', { kind: 'refused', from: 'request', error }, { log: 'forget', journal: 'notMade' }],
	['could not begin', { kind: 'refused', from: 'journal', error }, { log: 'forget' }],
	['nobody confirmed', uncertain('request'), { log: 'keep', journal: 'uncertain' }],
	['nobody confirmed in an earlier try', uncertain('log'), { log: 'keep' }],
	['nobody confirmed in an earlier execution', uncertain('journal'), { log: 'forget', journal: 'uncertain' }],
])('what the stores keep of a message that %s', (_, outcome, kept) => {
	expect(settlementOf(outcome, true)).toEqual(kept);
});

test('of a record whose creation nobody confirmed, only the journal knows', () => {
	expect(settlementOf(uncertain('request'), false)).toEqual({ log: 'forget', journal: 'uncertain' });
});
