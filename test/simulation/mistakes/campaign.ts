import { changing, wrap, type Mistakes } from './wrap';

/** Mistakes in campaigns with request IDs, by their names. */
export const CAMPAIGN: Mistakes = {
	'a request with an ID is not recorded': [
		'was taken 2 times',
		changing('execution/sending/journal/openJournal', 'sendJournalOf', () => ({
			begin: async () => await Promise.resolve({ state: 'absent' as const }),
		})),
	],
	'a worker does not wait for what another one records': [
		'was taken 2 times',
		changing('n8n/actionRun', 'actionRunOf', () => ({ isWorker: false })),
	],
	'an ID whose request was made before is used again': [
		'was taken 2 times',
		changing('execution/sending/journal/openJournal', 'sendJournalOf', ({ begin }) => ({
			async begin(send) {
				const earlier = await begin(send);
				return earlier.state === 'done' ? { state: 'absent' } : earlier;
			},
		})),
	],
	'an ID counts as used before it is': [
		'is reported as sent, and was not taken',
		changing('execution/sending/journal/openJournal', 'sendJournalOf', () => ({
			begin: async () => await Promise.resolve({ state: 'done' as const }),
		})),
	],
	'a process makes several calls to the row at the same time': [
		'its own process had written',
		wrap(
			'n8n/serialQueue',
			'createSerialQueue',
			() => () => async (work) => await Promise.resolve().then(work),
		),
	],
	'an ID proves what became of another text with it': [
		'row',
		wrap('execution/sending/journal/facts', 'factOfId', (original) => (send) => ({
			...original(send),
			tag: 'any text',
		})),
	],
	'a request that was refused counts as maybe made': [
		'is uncertain, and nothing happened to it',
		changing('execution/sending/journal/openJournal', 'sendJournalOf', ({ settle }) => ({
			settle: (send, end) => settle(send, end === 'notMade' ? 'uncertain' : end),
		})),
	],
	'those who opted out are not skipped': [
		'had opted out, and got a message',
		wrap('execution/sending/skipRecipients', 'withoutSkipped', (original) => async (request, ...given) => ({
			...(await original(request, ...given)),
			request,
			skipped: [],
		})),
	],
	'the list of those who opted out cannot be read': [
		'although all is quiet',
		wrap('execution/sending/suppressionList', 'createSuppressionList', () => () => ({
			reasonToSkip: async () => await Promise.reject(new Error('There is no list')),
		})),
	],
	'everybody is skipped': [
		'was skipped, and did not opt out',
		wrap('execution/sending/suppressionList', 'createSuppressionList', () => () => ({
			reasonToSkip: async () => await Promise.resolve({ reason: 'for no reason', knownAt: 0 }),
		})),
	],
};
