import { changing, wrap, type Mistakes } from './wrap';

/** A context with other methods, which inherits the rest. */
const insteadOf = <Context extends object>(context: Context, methods: object): Context =>
	Object.assign(Object.create(context) as Context, methods);

/** Mistakes in waiting for an answer by a link, by their names. */
export const WAITING: Mistakes = {
	'opening a link answers the question': [
		'an answer that nobody gave',
		wrap(
			'sendAndWait/receiveAnswer',
			'receiveAnswer',
			(original) => async (context) =>
				await original(
					insteadOf(context, {
						getRequestObject: () => ({ ...context.getRequestObject(), method: 'POST' }),
					}),
				),
		),
	],
	'the link to decline approves': [
		'that was not used',
		wrap(
			'sendAndWait/receiveAnswer',
			'receiveAnswer',
			(original) => async (context) =>
				await original(
					insteadOf(context, {
						getQueryData: () => ({ ...(context.getQueryData() as object), approved: 'true' }),
					}),
				),
		),
	],
	'a form without its answers is taken': [
		'an answer that nobody gave',
		wrap('sendAndWait/parseForm', 'parseForm', (original) => (...given) => {
			const parsed = original(...given);
			return 'errors' in parsed ? { values: {} } : parsed;
		}),
	],
	'every form is refused': [
		'was refused',
		wrap('sendAndWait/parseForm', 'parseForm', () => () => ({ errors: new Map() })),
	],
	'fields of nobody are read as the first one': [
		'an answer that nobody gave',
		wrap(
			'sendAndWait/parseForm',
			'parseForm',
			(original) => (fields, submitted, texts) =>
				original(fields, { 'field-0': Object.values(submitted)[0], ...submitted }, texts),
		),
	],
	'a page does not show its question': [
		'shows:',
		wrap('sendAndWait/answerPages', 'questionPage', () => () => 'A question'),
	],
	'a closed question thanks for the answer': [
		'thanked for',
		wrap('sendAndWait/answerPages', 'closedPage', () => () => 'Thank you'),
	],
	'an answer that n8n could not store closes the question': [
		'was called closed, and is open',
		wrap(
			'sendAndWait/claimAnswer',
			'claimAnswer',
			(original) => async (question, _, now, messageId) =>
				await original(question, async () => await Promise.resolve(true), now, messageId),
		),
	],
	'an answer does not wait for what becomes of an earlier one': [
		'was called closed, and is open',
		wrap('sendAndWait/claimAnswer', 'claimAnswer', (original) => {
			const asked = new Set<string>();
			return async (question, ...given) => {
				if (asked.has(question)) return false;
				asked.add(question);
				return await original(question, ...given);
			};
		}),
	],
	'minutes are seconds': [
		'waits for question',
		wrap(
			'sendAndWait/deadline',
			'deadlineOf',
			(original) => (limit, now) =>
				limit ? new Date(now + (original(limit, now).getTime() - now) / 60) : original(limit, now),
		),
	],
	'a wait without a limit ends': [
		'waits for question',
		wrap(
			'sendAndWait/deadline',
			'deadlineOf',
			(original) => (limit, now) => (limit ? original(limit, now) : new Date(now + 600_000)),
		),
	],
	'the workflow does not wait': [
		'went on with',
		wrap('sendAndWait/interaction', 'sendAndWaitInteraction', (original) => async (...given) => ({
			...(await original(...given)),
			wait: async () => await Promise.resolve(),
		})),
	],
	'several items are asked about': [
		'was sent for several items',
		wrap(
			'sendAndWait/interaction',
			'sendAndWaitInteraction',
			(original) =>
				async (execution, ...given) =>
					await original({ ...execution, items: () => 1 }, ...given),
		),
	],
	'an unconfirmed question is asked again': [
		'asked twice',
		changing('execution/sending/sendLog', 'sendLogOf', (log) => ({
			find: (send) => (log.find(send)?.answer ? log.find(send) : undefined),
		})),
	],
	'a question is recorded as sent, and was not': [
		'which was not sent',
		wrap(
			'execution/sending/sendOnce',
			'sendOnce',
			() => async () =>
				await Promise.resolve({ kind: 'sent' as const, from: 'request' as const, records: [] }),
		),
	],
	'a question that was sent is reported as not': [
		'is reported as not',
		wrap('execution/sending/sendOnce', 'sendOnce', (original) => async (...given) => {
			const outcome = await original(...given);
			if (outcome.kind !== 'uncertain') return outcome;
			return { ...outcome, error: outcome.error.with({ message: 'It failed', ambiguous: false }) };
		}),
	],
	'an error quotes the API key': [
		'a secret is in',
		wrap('api/errors', 'withoutSecret', () => (error) => error),
	],
};

/** Mistakes in taking answers from the chat, by their names. */
export const ANSWERS: Mistakes = {
	'an answer without a keyword is dropped': [
		'was not taken',
		changing('trigger/delivery/filter', 'eventFilterOf', () => ({ hasAnswers: false })),
	],
	'every text approves': [
		'was answered by',
		wrap(
			'sendAndWait/readReply',
			'readReply',
			(original) =>
				(...given) =>
					original(...given) ?? { approved: true },
		),
	],
	'a group itself is named as who answered': [
		'went on with',
		wrap('sendAndWait/inChat/protocol', 'readAnswerRequest', (original) => (...given) => {
			const read = original(...given);
			return read && { ...read, from: read.chat };
		}),
	],
	// Who may hand over
	'a guessed signature hands over an answer': [
		'was answered by a forged request',
		wrap('api/signedHeader', 'readSignedHeader', () => () => ({})),
	],
	// Never both, and never neither
	'a question takes what it is only asked about': [
		'answered',
		wrap('sendAndWait/inChat/protocol', 'readAnswerRequest', (original) => (...given) => {
			const read = original(...given);
			return read && { ...read, phase: 'take' };
		}),
	],
	'no answer is looked for': [
		'although nothing was in its way',
		wrap(
			'trigger/answers/handOverReplies',
			'handOverReplies',
			() => async (_, items) => await Promise.resolve(items),
		),
	],
	'no message of the chat runs': [
		'was not taken and did not run',
		wrap('trigger/answers/handOverReplies', 'handOverReplies', () => async () => await Promise.resolve([])),
	],
	'an unconfirmed question is asked again': [
		'asked twice',
		changing('execution/sending/sendLog', 'sendLogOf', (log) => ({
			find: (send) => (log.find(send)?.answer ? log.find(send) : undefined),
		})),
	],
};
