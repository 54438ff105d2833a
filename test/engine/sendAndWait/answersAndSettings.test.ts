import { answerKeyOf, answerTagOf } from '../../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import { registrationOf } from '../../../nodes/MessagingChannel/webhook/sharedUrl';
import { waitingAt } from '../../support/engine/context';
import { person, useEngine } from '../../support/engine/engine';
import { SETTINGS } from '../../support/engine/nodeSettings';
import { createTriggerNode } from '../../support/engine/triggerNode';
import { useWaiting } from '../../support/engine/waiting';
import { eventually } from '../../support/poll';
import { callerOf } from '../../support/service/testing';

const engine = useEngine();
const waiting = useWaiting(engine);
const api = callerOf(() => engine.service);

const CHAT = `${person(1)}@c.us`;
const messages = async () =>
	(await api('GET', `/chats/${CHAT}/messages`)).body.data as Array<Record<string, unknown>>;

/** Asks in the chat, and waits until the question is there. */
const ask = async () => {
	const answerTag = answerTagOf(answerKeyOf(engine.account));
	const url = `${waitingAt.url}/webhook/answering/webhook`;
	const receiver = { url, kind: 'workflow', events: ['message.received'], timeoutSeconds: 30 } as const;
	const registered = registrationOf([{ ...receiver, answerTag }], 'another secret');
	await api('POST', '/webhooks', { url: registered.url, events: [] });
	const question = await waiting.ask(
		{ to: { __rl: true, mode: 'id', value: CHAT } },
		{ options: { answerInChat: true } },
	);
	await eventually(messages, (all) => all.length === 1);
	return question;
};

/** The item of a message that somebody has written in the chat. */
const written = async (body: string) => {
	const { messageId, eventId } = await engine.service.control.incomingMessage({ from: person(1), body });
	const message = (await messages()).find(({ id }) => id === messageId);
	return { json: { event: 'message.received', event_id: eventId, chat: { id: CHAT }, message } } as never;
};

test.each(Object.entries(SETTINGS))(
	'with the setting %s, an answer that a question has taken starts nothing',
	async (_, node) => {
		const question = await ask();
		const item = await written('Approve');
		const answering = createTriggerNode({
			node,
			parameters: { events: ['message.received'], options: { takeAnswers: true, catchUp: 0 } },
			credential: () => ({ ...engine.account, signingSecret: 'secret' }),
			n8nUrl: waitingAt.url,
		});

		const first = await answering.runWorkflow([item], 'webhook');
		const again = await answering.runWorkflow([item], 'retry');

		const behind = [first.next, first.onError, again.next, again.onError];
		expect(behind.flatMap((items) => items ?? [])).toEqual([]);
		expect([first.error, question.accepted.length]).toEqual([undefined, 1]);
	},
);
