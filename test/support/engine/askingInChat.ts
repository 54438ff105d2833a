import type { INode, INodeExecutionData } from 'n8n-workflow';

import { answerKeyOf, answerTagOf } from '../../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import { registrationOf } from '../../../nodes/MessagingChannel/webhook/sharedUrl';
import { eventually } from '../poll';
import { callerOf } from '../service/testing';
import { waitingAt } from './context';
import { person, useEngine } from './engine';
import { createTriggerNode, type TriggerNode } from './triggerNode';
import { useWaiting } from './waiting';
import { byId } from '../operations/parameters';

export const CHAT = `${person(1)}@c.us`;
export const GROUP = '120363000000000001@g.us';
/** An approval that can be declined. */
export const BOTH = { approvalOptions: { values: { approvalType: 'double' } } };

/** What the workflow goes on with after an answer. */
export const answered = (values: object) => {
	const respondedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
	return [[{ json: { data: { ...values, respondedAt } } }]];
};

/** Questions in the chat, beside a workflow that takes answers. */
export function useAskingInChat() {
	const engine = useEngine();
	const waiting = useWaiting(engine);
	const api = callerOf(() => engine.service);

	let asked = 0;
	beforeEach(async () => {
		asked = 0;
		// What the trigger that takes answers has registered.
		const { url } = registrationOf(
			[
				{
					url: `${waitingAt.url}/webhook/answering/webhook`,
					kind: 'workflow',
					events: ['message.received'],
					timeoutSeconds: 30,
					answerTag: answerTagOf(answerKeyOf(engine.account)),
				},
			],
			'a secret that the node need not have',
		);
		expect((await api('POST', '/webhooks', { url, events: [] })).status).toBe(200);
	});

	const messages = async (chat = CHAT) =>
		(await api('GET', `/chats/${chat}/messages`)).body.data as Array<Record<string, unknown>>;

	return {
		...{ engine, waiting, api, messages },
		/** Asks in the chat, and waits until the question is there. */
		ask: async (parameters = {}, options = {}, chat = CHAT) => {
			const to = byId(chat);
			const question = await waiting.ask(
				{ to, ...BOTH, ...parameters },
				{ options: { answerInChat: true, ...options } },
			);
			asked++;
			await eventually(
				async () => await messages(chat),
				(all) => all.filter(({ from_me }) => from_me).length === asked,
			);
			return question;
		},
		/** The item of a message that somebody has written in the chat. */
		written: async (body: string): Promise<INodeExecutionData> => {
			const { messageId, eventId } = await engine.service.control.incomingMessage({ from: person(1), body });
			const message = (await messages()).find(({ id }) => id === messageId);
			const json = { event: 'message.received', event_id: eventId, chat: { id: CHAT }, message };
			return { json } as INodeExecutionData;
		},
		/** A trigger that takes answers. */
		answering: (node: Partial<INode> = {}): TriggerNode =>
			createTriggerNode({
				node,
				parameters: { events: ['message.received'], options: { takeAnswers: true, catchUp: 0 } },
				credential: () => ({ ...engine.account, signingSecret: 'secret' }),
				n8nUrl: waitingAt.url,
			}),
	};
}
