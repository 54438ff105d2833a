import fc from 'fast-check';

import type { NodeSettings } from '../n8n/actionContext';
import {
	numbers,
	oneOf,
	beginHistory,
	stepsOf,
	takerOf,
	type Made,
	type StepOf,
	type StepTable,
	type StoryOf,
} from '../chance/histories';
import { N8N_URL } from '../n8n/network';
import { createService, type TakenRequest } from '../service/service';
import {
	newWaitingDatabase,
	type LinkRequest,
	type Page,
	type Question,
	type WaitingDatabase,
} from './database';
import { askFields, createWaitingProcesses } from './world';

const question = fc.record<Omit<Question, 'text'>>({
	to: fc.constant('905551112233'),
	responseType: oneOf('approval', 'freeText'),
	limitMinutes: oneOf(undefined, 0.5, 2),
});

const settings = fc.record<NodeSettings>({
	onError: oneOf('stopWorkflow', 'continueRegularOutput'),
	tries: oneOf(1, 2, 3),
	maxConcurrency: fc.constant(1),
});

const asked = askFields(question, settings);

/** What a user, a customer or fate does. */
const STEPS = {
	ask: [1, asked],
	/** Somebody opens a link, or presses its button, once or in several tabs at the same time. */
	visit: [
		8,
		{
			message: fc.nat(2),
			link: fc.nat(1),
			method: oneOf('POST', 'POST', 'GET', 'HEAD'),
			isFilled: oneOf(true, true, false),
			tabs: oneOf(1, 2, 3),
		},
	],
	stop: [1, { which: fc.nat(2) }],
	/** Retries one of the executions that did not succeed. */
	retry: [2, { which: fc.nat(2) }],
	restart: [1],
	disconnect: [1, { ms: oneOf(300, 60_000) }],
	wait: [4, { ms: oneOf(10, 1_000, 30_000, 600_000) }],
	/** Waits until so long before the next time limit. */
	waitForLimit: [3, { beforeMs: oneOf(-1_000, 0, 10, 400, 20_000, 20_000) }],
} satisfies StepTable;

type Step = StepOf<typeof STEPS>;

export const waitingHistory = fc.record({
	// A first question, without which little happens.
	steps: fc
		.tuple(fc.record(asked), fc.array(fc.oneof(...stepsOf(STEPS)), { minLength: 1, maxLength: 9 }))
		.map(([first, steps]): Step[] => [{ do: 'ask', ...first }, { do: 'wait', ms: 30_000 }, ...steps]),
	/** How many processes of n8n serve links. */
	processes: oneOf(1, 2),
	numbers: numbers(300),
});

/** A request with a link, and what came back. */
export interface Visit extends LinkRequest {
	/** What the link is to. */
	link: { executionId: string; pass: number; approved: boolean };
	question: Question;
	/** When it reached n8n, and when the page reached the visitor, in Unix milliseconds. */
	arrivedAt?: number;
	shownAt?: number;
	page?: Page;
}

export interface WaitingOutcome extends WaitingDatabase {
	taken: TakenRequest[];
	visits: Visit[];
	/** When a process began, in Unix milliseconds. */
	boots: number[];
	log: string[];
}

const TRAVEL_MS = [10, 300, 2_000] as const;
const BOOT_MS = 10_000;

/** Lets a history happen. */
export async function playWaiting(
	{ steps, numbers, processes }: Made<typeof waitingHistory>,
	storyOf?: StoryOf,
): Promise<WaitingOutcome> {
	const { scheduler, choices, tell, play } = beginHistory(numbers, storyOf);
	const service = createService(scheduler, choices, { clockOffsetMs: 0, rateLimit: 100 });
	const world = { scheduler, choices, service, tell };
	const database = newWaitingDatabase();
	const visits: Visit[] = [];
	const { boot, boots, started, running, actions, untilLimit } = createWaitingProcesses(
		world,
		database,
		'n8n',
		(place) => scheduler.after(BOOT_MS, () => boot(place)),
	);
	for (let place = 0; place < processes; place++) boot(place);

	const send = (one: Visit): void => {
		visits.push(one);
		scheduler.after(choices.oneOf(TRAVEL_MS), () => {
			one.arrivedAt = scheduler.now();
			tell(() => `somebody: ${one.method} ${one.url} ${JSON.stringify(one.fields)}`);
			void running[choices.upTo(processes)]?.visit(one, (page) => {
				tell(() => `somebody sees ${page.status} ${titleOf(page)}`);
				Object.assign(one, { page, shownAt: scheduler.now() });
			});
		});
	};
	const take = takerOf<Step>(tell, {
		...actions,
		visit: (one) => {
			const message = service.taken.at(-1 - (one.message % Math.max(service.taken.length, 1)));
			const made = message && visitOf(one, message, database);
			for (let tab = 0; made && tab < one.tabs; tab++)
				send({ ...made, fields: one.isFilled ? { 'field-0': `Ada ${visits.length}` } : {} });
		},
		restart: () => running[choices.upTo(processes)]?.kill(),
		disconnect: (one) => service.disconnect(one.ms),
		waitForLimit: untilLimit,
	});
	await play(steps, take);
	database.isOver = true;
	await scheduler.run();
	const log = started.flatMap((each) => each.log);
	return withoutMixedUp({ ...database, taken: service.taken, visits, boots, log });
}

/** The links in a message. */
export const linksIn = ({ text }: TakenRequest): string[] =>
	[...text.matchAll(/http\S+/g)].map(([link]) => link);

function visitOf(
	{ link: index, method }: Extract<Step, { do: 'visit' }>,
	message: TakenRequest,
	{ executions }: WaitingDatabase,
): Omit<Visit, 'fields'> {
	const links = linksIn(message);
	const url = links[index % links.length] ?? N8N_URL;
	const link = linkedIn(new URL(url));
	const execution = executions.find(({ id }) => id === link.executionId);
	return { method, url, question: execution?.workflow.questions[link.pass] as Question, link };
}

/** Without the executions that n8n itself mixes up. */
export function withoutMixedUp<Outcome extends WaitingOutcome>(outcome: Outcome): Outcome {
	const { executions, mixedUp, waits, continuations, visits, taken } = outcome;
	if (mixedUp.size === 0) return outcome;
	const ids = new Set(executions.filter(({ origin }) => mixedUp.has(origin)).map(({ id }) => id));
	const isJudged = ({ executionId }: { executionId: string }) => !ids.has(executionId);
	return {
		...outcome,
		executions: executions.filter(({ id }) => !ids.has(id)),
		waits: waits.filter(isJudged),
		continuations: continuations.filter(isJudged),
		resumptions: outcome.resumptions.filter(isJudged),
		visits: visits.filter(({ link }) => isJudged(link)),
		taken: taken.filter((message) => linksIn(message).every((link) => isJudged(linkedIn(new URL(link))))),
	};
}

/** What a link is to. */
export function linkedIn({ pathname, searchParams }: URL): {
	executionId: string;
	pass: number;
	approved: boolean;
} {
	return {
		executionId: String(pathname.split('/')[2]),
		pass: Number(searchParams.get('run')),
		approved: searchParams.get('approved') === 'true',
	};
}

const titleOf = ({ body }: Page) => /<h1>(.*)<\/h1>/.exec(body)?.[1] ?? body;
