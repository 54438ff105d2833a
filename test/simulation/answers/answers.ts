import { isGroup } from '../../support/service/core/phone';
import { createAccount } from '../service/account';
import { CHATS, MEMBERS, TEXTS, type AnswersHistory, type Step } from './history';
import { createDeployment, type Death } from '../receiving/deployment';
import { beginHistory, takerOf, type StoryOf } from '../chance/histories';
import type { InternalRequest } from '../service/http';
import type { ShownMessage, TakenRequest } from '../service/service';
import {
	executionsOfEvents,
	newTriggerDatabase,
	newWorkflow,
	type EventExecution,
	type TriggerDatabase,
} from '../n8n/triggerDatabase';
import { linkedIn, linksIn, withoutMixedUp, type WaitingOutcome } from '../waiting/waiting';
import {
	newWaitingDatabase,
	type LinkRequest,
	type Question,
	type WaitingDatabase,
} from '../waiting/database';
import { createWaitingProcesses } from '../waiting/world';
import type { DeliveryResponse, EmittedEvent } from '../service/events';

/** A message that came in. */
export interface WrittenMessage extends EmittedEvent {
	/** Who wrote it, as its event says. */
	from: string;
	text: string;
	/** By the scheduler, in Unix milliseconds. */
	receivedAt: number;
	listedAt: number;
}

/** A question in a chat. */
export interface ChatQuestion {
	executionId: string;
	pass: number;
	question: Question;
	/** The ID of its chat. */
	chat: string;
	code: string;
	link: string;
	message: TakenRequest;
}

export interface AnswersOutcome extends WaitingOutcome {
	trigger: TriggerDatabase;
	/** The executions of the trigger, with one for each of their messages. */
	runs: EventExecution[];
	questions: ChatQuestion[];
	messages: WrittenMessage[];
	shown: readonly ShownMessage[];
	/** What the trigger has asked of the pages of questions. */
	internalLog: InternalRequest[];
	/** Requests with a link that nobody of this n8n has made. */
	forged: LinkRequest[];
	deaths: Death[];
	/** What was asked and answered when nothing unusual happened any more. */
	probe: WrittenMessage;
}

/** How long it takes until the trigger listens. */
const SET_UP_MS = 60_000;

/** How long the faults go on after the last step. */
const EVENTFUL_MS = 200_000;

/** Longer than it takes until a missed message has run: a look-up that nobody answers takes ten minutes. */
const QUIET_MS = 2_400_000;

const CHANGE_MS = 300_000;
const BOOT_MS = 10_000;
const TRAVEL_MS = [10, 300, 2_000] as const;

/** What comes back from n8n while the process is down or starts. */
const ABSENT: readonly [undefined, ...Array<DeliveryResponse | undefined>] = [
	undefined,
	{ status: 200, body: 'n8n is starting up. Please wait' },
	{ status: 404, body: 'Cannot POST' },
	{ status: 502, body: 'Bad Gateway' },
];

/** The questions that stand in messages. */
function questionsIn(taken: readonly TakenRequest[], { executions }: WaitingDatabase): ChatQuestion[] {
	return taken.flatMap((message) => {
		const [link] = linksIn(message);
		const [, code = ''] = /\*([A-Z]\d[A-Z]\d)\*/.exec(message.text) ?? [];
		if (link === undefined) return [];
		const { executionId, pass } = linkedIn(new URL(link));
		const asked = executions.find(({ id }) => id === executionId)?.workflow.questions[pass] as Question;
		return [{ executionId, pass, question: asked, chat: message.to, code, link, message }];
	});
}

/** Lets a history happen. */
export async function playAnswers(
	{ steps, numbers, clockOffsetMs, version, deployment }: AnswersHistory,
	storyOf?: StoryOf,
): Promise<AnswersOutcome> {
	let isSetUp = false;
	const history = beginHistory(numbers, storyOf, () => isSetUp);
	const { scheduler, choices, tell, pass, play } = history;
	const { now, webhooks, service } = createAccount(
		history,
		{ clockOffsetMs, rateLimit: 1_000, hasWholeLists: true },
		async (delivery) => await n8n.deliver(delivery),
	);
	const internalLog: InternalRequest[] = [];
	const world = { scheduler, choices, service, tell, internalLog };
	const database = newWaitingDatabase();
	const workflow = newWorkflow(version);
	const trigger = newTriggerDatabase([workflow], webhooks.secrets[0] as string);

	// In queue mode, the trigger runs in other processes than those that serve links and wait.
	const isOneProcess = deployment.mode === 'regular';
	const { boot, boots, started, running, actions, untilLimit } = createWaitingProcesses(
		world,
		database,
		isOneProcess ? 'n8n, waiting' : 'main',
		(place) => {
			if (isOneProcess) n8n.kill(0);
			else scheduler.after(BOOT_MS, () => boot(place));
		},
	);
	const places = isOneProcess ? 1 : 2;

	const visit = async (request: LinkRequest): Promise<DeliveryResponse | undefined> =>
		await new Promise((resolve) => {
			const process = running[choices.upTo(places)];
			if (!process) return resolve(choices.oneOf(ABSENT));
			void process.visit(request, (page) => {
				tell(() => `${request.method} of ${request.url} gets ${page.status} ${page.body.slice(0, 80)}`);
				resolve({ status: page.status, body: page.body });
			});
		});

	const n8n = createDeployment(
		world,
		trigger,
		deployment,
		async ({ url, headers, body }) =>
			await visit({ method: 'POST', url, fields: {}, reply: { headers, body } }),
		{
			onStart: () => {
				if (isOneProcess) boot(0);
			},
			onDeath: () => {
				if (isOneProcess) running[0]?.kill();
			},
		},
	);
	if (!isOneProcess) for (let place = 0; place < places; place++) boot(place);

	const messages: WrittenMessage[] = [];
	const forged: LinkRequest[] = [];
	const questions = () => questionsIn(service.taken, database);

	const receive = (
		chatId: string,
		text: string,
		{ member = 0, deliveries = 6, listedAfterMs = 0 },
	): WrittenMessage => {
		const from = isGroup(chatId) ? `${MEMBERS[member % MEMBERS.length]}@c.us` : chatId;
		const timestamp = Math.floor(now() / 1000);
		const event = webhooks.receive({ chatId, timestamp, isFromMe: false, from, text }, deliveries);
		const listedAt = scheduler.now() + listedAfterMs;
		const message = { ...event, from, text, receivedAt: scheduler.now(), listedAt };
		messages.push(message);
		tell(() => `${from} writes ${event.messageId}: ${text}`);
		scheduler.after(listedAfterMs, () => service.receive(chatId, text, { ...event, from }));
		return message;
	};

	const write = (one: Extract<Step, { do: 'write' }>): void => {
		const chat = CHATS[one.chat] as string;
		const asked = questions().filter((each) => each.chat === chat);
		const meant = asked.at(-1 - one.which) ?? asked.at(-1) ?? questions().at(-1);
		const { code = 'K7F4', link = '', message } = meant ?? {};
		for (let each = 0; each < one.count; each++) {
			const text = TEXTS[one.text]?.({ code, link, text: message?.text ?? '' }, messages.length) || 'Hello';
			receive(chat, text, { ...one, member: one.member + each });
		}
	};

	const send = (request: LinkRequest): void =>
		scheduler.after(choices.oneOf(TRAVEL_MS), () => {
			tell(() => `somebody: ${request.method} ${request.url} ${JSON.stringify(request.fields)}`);
			void visit(request);
		});

	/** Somebody who holds a link, and does not know the secret, makes a request like those of the trigger. */
	const forge = ({ which }: Extract<Step, { do: 'forge' }>): void => {
		const target = questions().at(-1 - which);
		if (!target) return;
		const { chat, link } = target;
		const reply = { phase: 'take', messageId: 'forged', chat, from: chat, sendersSince: [], text: 'Approve' };
		const guessed = `${scheduler.now()}.00000000-0000-4000-8000-000000000000.${'A'.repeat(43)}`;
		const request: LinkRequest = {
			method: 'POST',
			url: link,
			fields: {},
			reply: { headers: { 'x-messaging-channel-answer': guessed }, body: Buffer.from(JSON.stringify(reply)) },
		};
		forged.push(request);
		send(request);
	};

	const take = takerOf<Step>(tell, {
		...actions,
		write,
		forge,
		forward: (one) => {
			const forwarded = questions().at(-1 - one.which);
			if (forwarded) service.writeOnPhone(CHATS[one.chat] as string, forwarded.message.text);
		},
		visit: (one) => {
			const target = questions().at(-1 - one.which);
			const fields = { approved: String(one.approves), 'field-0': `By page ${scheduler.now()}` };
			if (target) send({ method: 'POST', url: target.link, fields });
		},
		'retry the trigger': (one) => {
			// "If the execution that asked still waits, retry this execution."
			const failed = trigger.executions.filter(({ status }) => status === 'error');
			const chosen = failed[one.which % failed.length];
			const isWaiting = database.executions.some(({ status }) => status === 'waiting');
			if (chosen && isWaiting) n8n.main?.retry(chosen);
		},
		kill: (one) => (one.isWaiting ? running[one.process % places]?.kill() : n8n.kill(one.process)),
		'cut off': (one) => service.cutOff(one.ms),
		'wait for the limit': untilLimit,
	});

	n8n.main?.publisher.publish(workflow);
	await pass(SET_UP_MS);
	isSetUp = true;
	await play(steps, take);
	await pass(EVENTFUL_MS);
	choices.calmDown();
	// n8n holds an execution back for up to two hours.
	const releasedAt = () => Math.max(0, ...trigger.executions.map(({ releasedAt: at = 0 }) => at));
	await scheduler.run(Math.max(scheduler.now(), releasedAt()) + QUIET_MS);
	running[0]?.start(PROBE);
	await pass(30_000);
	const probe = receive(PROBE_CHAT, 'Approve', {});
	await pass(30_000);
	// If it is killed while it unpublishes, n8n can believe that it has.
	workflow.active ??= workflow.published;
	n8n.main?.publisher.unpublish(workflow);
	await pass(CHANGE_MS);
	database.isOver = true;
	// Ends when no loop goes on.
	await scheduler.run();
	return withoutMixedUp({
		...database,
		taken: service.taken,
		visits: [],
		boots,
		log: [...n8n.log(), ...started.flatMap(({ log }) => log)],
		trigger,
		runs: trigger.executions.flatMap(executionsOfEvents),
		questions: questions(),
		messages,
		shown: service.shown,
		internalLog,
		forged,
		deaths: n8n.deaths,
		probe,
	});
}

const PROBE_CHAT = '905551114455@c.us';

const PROBE = {
	questions: [
		{
			to: '905551114455',
			text: 'May we, in the end?',
			responseType: 'approval' as const,
			isInChat: true,
		},
	],
	settings: { onError: 'stopWorkflow' as const, tries: 1, maxConcurrency: 1 },
};
