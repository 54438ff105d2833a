import type { IDataObject, IHttpRequestOptions, INodeExecutionData, WorkflowExecuteMode } from 'n8n-workflow';

import { answerKeyOf, chatTagOf } from '../../../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import {
	ANSWER_HEADER,
	readAnswerRequest,
	type AnswerResponse,
} from '../../../../nodes/MessagingChannel/sendAndWait/inChat/protocol';
import { handOverReplies } from '../../../../nodes/MessagingChannel/trigger/answers/handOverReplies';
import { triggerRunOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { replaceTriggerClock } from '../../../support/engine/triggerClock';
import { NOW, SECONDS } from '../deliveries';
import { API_KEY, newNode, WAITING_URL, type Response } from '../runOf';

export const CHAT = '905551112233@c.us';
const key = answerKeyOf({ apiKey: API_KEY });

/** The link of a question in a chat. */
export const linkOf = (execution: number, chat = CHAT) =>
	`${WAITING_URL}/${execution}/node?chat=${chatTagOf(key, chat)}&run=0&signature=${execution}`;
export const [FIRST, SECOND] = [linkOf(7), linkOf(8)];

export const question = (link: string): IDataObject => ({
	id: `question ${link}`,
	type: 'chat',
	body: `Ship it? ${link}`,
	from_me: true,
	timestamp: SECONDS - 600,
});
export const textFrom = (from: string, more: IDataObject = {}): IDataObject => ({
	id: 'message-1',
	type: 'chat',
	body: 'Approve',
	from,
	from_me: false,
	timestamp: SECONDS,
	...more,
});
export const text = (more: IDataObject = {}) => textFrom(CHAT, more);
export const item = (message: IDataObject, more: IDataObject = {}): INodeExecutionData => ({
	json: { event: 'message.received', event_id: 'event-1', chat: { id: CHAT }, message, ...more },
});
/** The item of a chat with several messages. */
export const chatItem = (...messages: IDataObject[]): INodeExecutionData => ({
	json: {
		chat: { id: CHAT },
		messages,
		text: messages.map(({ body }) => body).join('\n'),
		event_ids: messages.map(({ id }) => `event of ${String(id)}`),
	},
});

/** How a page responds: as one of this package, or as something in front of it. */
export type Page = AnswerResponse | Response;

export const OPEN: Page = { isOpen: true, accepts: true };
export const TAKEN: Page = { isOpen: false, taken: true };
export const REJECTS: Page = { isOpen: true, accepts: false };
export const CLOSED: Page = { isOpen: false };
export const NO_RESPONSE: Page = { statusCode: 502, body: 'Bad Gateway' };
export const NO_CREDENTIAL: Page = { statusCode: 503, body: OPEN };
/** The question of a page that is open takes what it is given. */
export const PAGE = { check: OPEN, take: TAKEN };

/** What is not given is as in an account in which one question waits. */
export interface Trigger {
	takeAnswers?: boolean | null;
	keywords?: string[];
	/** `options.` and the name of each. */
	parameters?: IDataObject;
	onError?: 'continueRegularOutput';
	/** How the pages of the questions respond, by link. */
	pages?: Record<string, { check: Page; take?: Page }>;
	/** What somebody sees who opens the page of a question, by link. */
	shown?: Record<string, Response>;
	/** The messages of a chat, newest first; undefined if the service does not list them. */
	messagesOf?: (chat: string) => IDataObject[] | Promise<IDataObject[]> | undefined;
}

/** Runs triggers whose short waits take no time. */
export function useAnswers() {
	let now = NOW;
	/** The longer waits, in milliseconds, and what ends each. */
	const waits: Array<[number, () => void]> = [];
	beforeEach(() => {
		waits.length = 0;
		now += 60_000;
		replaceTriggerClock(
			() => now,
			async (ms, signal) => {
				if (ms <= 500) now += ms;
				else
					await new Promise<void>((resolve, reject) => {
						waits.push([ms, resolve]);
						signal?.addEventListener('abort', () => reject(new Error('It is over')));
					});
			},
		);
	});
	afterEach(() => void jest.restoreAllMocks());

	/** A trigger that takes answers, in whose account the two questions wait unless said otherwise. */
	function newTrigger({
		takeAnswers = true,
		keywords,
		parameters,
		onError,
		pages = { [FIRST]: PAGE },
		shown,
		messagesOf = () => Object.keys(pages).map(question),
	}: Trigger = {}) {
		/** What the pages were asked. */
		const asked: Array<[phase: string, link: string]> = [];
		const replies: object[] = [];
		const node = newNode({
			parameters: {
				'options.takeAnswers': takeAnswers,
				'options.ignoreOwnMessages': false,
				...(keywords && { 'options.keywords': keywords }),
				...parameters,
			},
			onError,
			respond: async (path) => {
				const [, chat] = /chats\/([^/]+)\/messages$/.exec(path) ?? [];
				const data = await messagesOf(decodeURIComponent(String(chat)));
				return { statusCode: 200, body: { success: true, data } };
			},
			respondAt: async ({ url, method, headers, body }: IHttpRequestOptions) => {
				if (method === 'GET' && shown?.[url]) return await Promise.resolve(shown[url]);
				const signature = String(new URL(url).searchParams.get('signature'));
				const request = readAnswerRequest(headers?.[ANSWER_HEADER], key, signature, body as Buffer, now);
				if (!request) throw new Error('The request is not signed');
				const { phase, ...reply } = request;
				asked.push([phase, url]);
				replies.push(reply);
				const response = pages[url]?.[phase];
				if (!response) throw new Error(`Nobody expects ${phase} ${url}`);
				return await Promise.resolve(
					'statusCode' in response ? response : { statusCode: 200, body: response },
				);
			},
		});
		/** Runs the trigger. Resolves to what starts the workflow. */
		const run = async (items: INodeExecutionData[], mode: WorkflowExecuteMode = 'webhook') =>
			await handOverReplies(triggerRunOf(node.runOf(items, { mode })), items);
		return { ...node, run, pages, asked, replies };
	}

	return { newTrigger, waits };
}
