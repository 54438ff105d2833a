import type { IDataObject, INode } from 'n8n-workflow';

import { ApiError } from '../../../../nodes/MessagingChannel/api/errors';
import type { Send, SendOutcome } from '../../../../nodes/MessagingChannel/execution/sending/send';
import type { EarlierSend } from '../../../../nodes/MessagingChannel/execution/sending/sendJournal';
import { sendLogOf } from '../../../../nodes/MessagingChannel/execution/sending/sendLog';
import type { SendLine } from '../../../../nodes/MessagingChannel/execution/sending/sendOnce';
import { newSentTexts } from '../../../../nodes/MessagingChannel/execution/sending/sentTexts';
import { virtualClock } from '../../../support/engine/clock';

export const error = (code: string, more: Partial<ApiError> = {}): ApiError =>
	new ApiError({ message: code, description: 'What to do.', code, httpStatus: null, ...more });

/** A text with a request ID. */
export const textSend = (more: Partial<Send> = {}): Send => ({
	request: {
		endpoint: { method: 'POST', path: '/messages/send', permission: 'messages:send', sends: 'text' },
		parameters: { to: 'Ada', message: 'Hello' },
	},
	itemIndex: 0,
	partitionKey: 'Ada',
	requestId: 'order 1',
	requestKey: 'key',
	...more,
});

export interface World {
	/** What the journal says of a send that begins; an error if it cannot be used. */
	before?: EarlierSend | Error | ((send: Send) => EarlierSend);
	/** What the chat shows of the text. */
	chat?: IDataObject | 'missing';
	/** What becomes of the requests, one by one. */
	answers?: Array<IDataObject | Error>;
	isTool?: boolean;
}

/** A line with the real log and plain fakes, and what these were told. */
export function lineIn({ before, chat, answers = [], isTool = false }: World) {
	const left = [...answers];
	const told: string[] = [];
	const digests = new Set<string | undefined>();
	const partOf = ({ part }: Send) => (part ? ` part ${part.index + 1}` : '');
	const log = sendLogOf({ nodeData: {}, runIndex: 0, isTool, node: {} as INode }, 0);
	const sent = newSentTexts({ isClockKnown: true, clockOffsetMs: 0 });
	const line: SendLine = {
		clock: virtualClock(),
		log,
		journal: {
			begin: async (send) => {
				told.push(`begin${partOf(send)}`);
				if (before instanceof Error) throw before;
				const earlier = typeof before === 'function' ? before(send) : before;
				return await Promise.resolve(earlier ?? { state: 'absent' });
			},
			settle: (send, end) => void told.push(`${end}${partOf(send)}`),
			close: async () => await Promise.resolve(0),
		},
		sent: {
			...sent,
			attempted(text) {
				told.push('attempted');
				digests.add(text.textDigest);
				return sent.attempted(text);
			},
			confirmed(...given) {
				if (given[3]) told.push('confirmed');
				sent.confirmed(...given);
			},
			refused: () => void told.push('refused'),
		},
		reconciliation: () => ({
			find: async () => {
				told.push('search');
				if (!chat) throw error('forbidden');
				return await Promise.resolve(chat === 'missing' ? undefined : chat);
			},
			recover: async ({ to, attemptedAt }, sentAfter) => {
				told.push(`recover ${to} ${attemptedAt} ${sentAfter}`);
				if (!chat) throw error('forbidden');
				return await Promise.resolve(chat);
			},
			identify: async () => await Promise.resolve([]),
		}),
		isSearched: true,
		steps: [],
		noteSent: (_, { id }) => void told.push(`noted ${String(id)}`),
		request: async ({ parameters, beforeAttempt }) => {
			beforeAttempt?.(line.clock.now());
			told.push(`request ${String(parameters?.message)}`);
			const answer = left.shift() ?? { id: '1' };
			if (answer instanceof Error) throw answer;
			return await Promise.resolve([answer]);
		},
	};
	/** What was told since the last call. */
	const toldSince = () => told.splice(0);
	return { line, log, toldSince, digests };
}

export const refusal = error('forbidden', { httpStatus: 403 });
export const lost = error('send_timeout', { ambiguous: true });
export const message = { id: '7' };
export const done = { state: 'done' } as const;

/** What the user gets: the records, or the error by its code. */
export const shown = (outcome: SendOutcome): unknown =>
	'records' in outcome ? outcome.records : 'error' in outcome ? outcome.error : outcome.recipients;

export const before = { already_sent: true, request_id: 'order 1' };
export const unsure = expect.objectContaining({ code: 'send_timeout', ambiguous: true }) as unknown;
export const textOf = (message: string, sends?: 'text' | 'other') => {
	const { request } = textSend();
	return { ...request, endpoint: { ...request.endpoint, sends }, parameters: { to: 'Ada', message } };
};

export const SENT = ['begin', 'attempted', 'request Hello', 'made', 'confirmed', 'noted 1'];
