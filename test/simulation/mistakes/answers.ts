import { changeInput, changeMethods, changeOutput, replace, stub, type Mistakes } from './wrap';

/** A context with other methods, which inherits the rest. */
const insteadOf = <Context extends object>(context: Context, methods: object): Context =>
	Object.assign(Object.create(context) as Context, methods);

/** Mistakes in waiting for an answer by a link, by their names. */
export const WAITING: Mistakes = {
	'opening a link answers the question': [
		'an answer that nobody gave',
		changeInput('sendAndWait/receiveAnswer', 'receiveAnswer', (context) => [
			insteadOf(context, { getRequestObject: () => ({ ...context.getRequestObject(), method: 'POST' }) }),
		]),
	],
	'the link to decline approves': [
		'that was not used',
		changeInput('sendAndWait/receiveAnswer', 'receiveAnswer', (context) => [
			insteadOf(context, {
				getQueryData: () => ({ ...(context.getQueryData() as object), approved: 'true' }),
			}),
		]),
	],
	'a closed question thanks for the answer': [
		'thanked for',
		stub('sendAndWait/answerPages', 'closedPage', 'Thank you'),
	],
	'an answer that n8n could not store closes the question': [
		'was called closed, and is open',
		changeInput('sendAndWait/claimAnswer', 'claimAnswer', (question, _, ...others) => [
			question,
			async () => await Promise.resolve(true),
			...others,
		]),
	],
	'an answer does not wait for what becomes of an earlier one': [
		'was called closed, and is open',
		replace('sendAndWait/claimAnswer', 'claimAnswer', (original) => {
			const asked = new Set<string>();
			return async (question, ...given) => {
				if (asked.has(question)) return false;
				asked.add(question);
				return await original(question, ...given);
			};
		}),
	],
	'a wait without a limit ends': [
		'waits for question',
		changeOutput('sendAndWait/deadline', 'deadlineOf', (deadline, limit, now) =>
			limit ? deadline : new Date(now + 600_000),
		),
	],
	'the workflow does not wait': [
		'went on with',
		changeOutput('sendAndWait/interaction', 'sendAndWaitInteraction', (interaction) => ({
			...interaction,
			wait: async () => await Promise.resolve(),
		})),
	],
	'an unconfirmed question is asked again': [
		'asked twice',
		changeMethods('execution/sending/sendLog', 'sendLogOf', (log) => ({
			find: (send) => (log.find(send)?.answer ? log.find(send) : undefined),
		})),
	],
	'a question is recorded as sent, and was not': [
		'which was not sent',
		stub(
			'execution/sending/sendOnce',
			'sendOnce',
			Promise.resolve({ kind: 'sent', from: 'request', records: [] }),
		),
	],
	'a question that was sent is reported as not': [
		'is reported as not',
		changeOutput('execution/sending/sendOnce', 'sendOnce', (outcome) =>
			outcome.kind === 'uncertain'
				? { ...outcome, error: outcome.error.with({ message: 'It failed', ambiguous: false }) }
				: outcome,
		),
	],
	'an error quotes the API key': [
		'a secret is in',
		replace('api/errors', 'withoutSecret', () => (error) => error),
	],
};

/** Mistakes in taking answers from the chat, by their names. */
export const ANSWERS: Mistakes = {
	'every text approves': [
		'was answered by',
		changeOutput('sendAndWait/readReply', 'readReply', (reply) => reply ?? { approved: true }),
	],
	'a group itself is named as who answered': [
		'went on with',
		changeOutput(
			'sendAndWait/inChat/protocol',
			'readAnswerRequest',
			(read) => read && { ...read, from: read.chat },
		),
	],
	// Who may hand over
	'a guessed signature hands over an answer': [
		'was answered by a forged request',
		stub('api/signedHeader', 'readSignedHeader', {}),
	],
	// Never both, and never neither
	'a question takes what it is only asked about': [
		'answered',
		changeOutput(
			'sendAndWait/inChat/protocol',
			'readAnswerRequest',
			(read) => read && { ...read, phase: 'take' as const },
		),
	],
	'no answer is looked for': [
		'although nothing was in its way',
		replace(
			'trigger/answers/handOverReplies',
			'handOverReplies',
			() => async (_, items) => await Promise.resolve(items),
		),
	],
	'no message of the chat runs': [
		'was not taken and did not run',
		replace(
			'trigger/answers/handOverReplies',
			'handOverReplies',
			() => async () => await Promise.resolve([]),
		),
	],
};
