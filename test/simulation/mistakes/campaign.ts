import { changeMethods, changeOutput, stub, type Mistakes } from './wrap';

const JOURNAL = ['execution/sending/journal/openJournal', 'sendJournalOf'] as const;

/** Mistakes in campaigns with request IDs, by their names. */
export const CAMPAIGN: Mistakes = {
	'a request with an ID is not recorded': [
		'was taken 2 times',
		changeMethods(...JOURNAL, () => ({ begin: async () => await Promise.resolve({ state: 'absent' }) })),
	],
	'a worker does not wait for what another one records': [
		'was taken 2 times',
		changeMethods('n8n/actionRun', 'actionRunOf', () => ({ isWorker: false })),
	],
	'an ID counts as used before it is': [
		'is reported as sent, and was not taken',
		changeMethods(...JOURNAL, () => ({ begin: async () => await Promise.resolve({ state: 'done' }) })),
	],
	'a process makes several calls to the row at the same time': [
		'its own process had written',
		stub('n8n/serialQueue', 'createSerialQueue', async (work) => await Promise.resolve().then(work)),
	],
	'an ID proves what became of another text with it': [
		'row',
		changeOutput('execution/sending/journal/facts', 'factOfId', (fact) => ({ ...fact, tag: 'any text' })),
	],
	'a request that was refused counts as maybe made': [
		'is uncertain, and nothing happened to it',
		changeMethods(...JOURNAL, ({ settle }) => ({
			settle: (send, end) => settle(send, end === 'notMade' ? 'uncertain' : end),
		})),
	],
	'those who opted out are not skipped': [
		'had opted out, and got a message',
		changeOutput('execution/sending/skipRecipients', 'withoutSkipped', (split, request) => ({
			...split,
			request,
			skipped: [],
		})),
	],
	'the list of those who opted out cannot be read': [
		'although all is quiet',
		stub(
			'execution/sending/suppressionList',
			'createSuppressionList',
			async () => await Promise.reject(new Error('There is no list')),
		),
	],
	'everybody is skipped': [
		'was skipped, and did not opt out',
		stub(
			'execution/sending/suppressionList',
			'createSuppressionList',
			async () => await Promise.resolve('for no reason'),
		),
	],
};
