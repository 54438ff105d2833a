import fc from 'fast-check';

import { N8N_URL, NODE_ID, type NodeSettings } from './actionContext';
import {
	numbers,
	oneOf,
	beginHistory,
	stepsOf,
	type StepOf,
	type StepTable,
	type StoryOf,
} from './histories';
import type { Page } from './response';
import { createService, type TakenRequest } from './service';
import type { LinkRequest, Question, WaitingDatabase } from './waitingDatabase';
import { newWaitingDatabase } from './waitingDatabase';
import { askFields, createWaitingProcesses } from './waitingWorld';

/** What a visitor puts into the form; each filled one gets a name of its own. */
const FORMS = {
	filled: { 'field-0': 'Ada', 'field-1': '7' },
	empty: {},
	wrong: { 'field-0': ' ', 'field-1': 'seven' },
	foreign: { 'field-7': 'Eve', approved: 'true', data: 'Eve' },
} as const;

/** What a forger makes of a link. */
const FORGERIES: Record<string, (url: URL) => void> = {
	'another answer': ({ searchParams }) =>
		searchParams.set('approved', String(searchParams.get('approved') !== 'true')),
	'another pass': ({ searchParams }) => searchParams.set('run', `${Number(searchParams.get('run')) + 1}`),
	'something added': ({ searchParams }) => searchParams.set('extra', '1'),
	'no signature': ({ searchParams }) => searchParams.delete('signature'),
	'a cut signature': ({ searchParams }) =>
		searchParams.set('signature', String(searchParams.get('signature')).slice(0, -1)),
	'another node': (url) => (url.pathname = url.pathname.replace(NODE_ID, 'other')),
};

export interface WaitingHistory {
	/** How many processes of n8n serve links. */
	processes: number;
	steps: Step[];
	numbers: number[];
}

const question = fc.record<Omit<Question, 'text'>>({
	to: fc.constant('905551112233'),
	responseType: oneOf('approval', 'freeText', 'customForm'),
	limitMinutes: oneOf(undefined, 0.5, 2),
	items: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(2) }),
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
			form: oneOf('filled', 'filled', 'empty', 'wrong', 'foreign'),
			tabs: oneOf(1, 2, 3),
			forgery: fc.oneof(
				{ weight: 5, arbitrary: fc.constant(undefined) },
				{ weight: 1, arbitrary: oneOf(...Object.keys(FORGERIES)) },
			),
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

export const waitingHistory: fc.Arbitrary<WaitingHistory> = fc.record({
	// A first question, without which little happens.
	steps: fc
		.tuple(fc.record(asked), fc.array(fc.oneof(...stepsOf(STEPS)), { minLength: 1, maxLength: 9 }))
		.map(([first, steps]): Step[] => [{ do: 'ask', ...first }, { do: 'wait', ms: 30_000 }, ...steps]),
	processes: oneOf(1, 2),
	numbers: numbers(300),
});

/** A request with a link, and what came back. */
export interface Visit extends LinkRequest {
	/** What the link is to; undefined when it was forged. */
	link?: { executionId: string; pass: number; approved: boolean };
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

const DAY_MS = 86_400_000;
const TRAVEL_MS = [10, 300, 2_000] as const;
const BOOT_MS = 10_000;

/**
 * Lets a history happen.
 *
 * @param storyOf makes what the story is told to, when somebody wants to read it
 */
export async function playWaiting(
	{ steps, numbers, processes }: WaitingHistory,
	storyOf?: StoryOf,
): Promise<WaitingOutcome> {
	const { scheduler, choices, tell, pass } = beginHistory(numbers, storyOf);
	const service = createService(scheduler, choices, { clockOffsetMs: 0, rateLimit: 100 });
	const world = { scheduler, choices, service, tell };
	const database = newWaitingDatabase();
	const visits: Visit[] = [];
	const { boot, boots, started, running } = createWaitingProcesses(world, database, 'n8n', (place) =>
		scheduler.after(BOOT_MS, () => boot(place)),
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

	for (const one of steps) {
		tell(() => `Step: ${JSON.stringify(one)}`);
		if (one.do === 'ask') running[0]?.start({ questions: one.questions, settings: one.settings });
		else if (one.do === 'visit') {
			const message = service.taken.at(-1 - (one.message % Math.max(service.taken.length, 1)));
			const made = message && visitOf(one, message, database);
			for (let tab = 0; made && tab < one.tabs; tab++) {
				const name = `Ada ${visits.length}`;
				const fields = one.form === 'filled' ? { ...made.fields, 'field-0': name } : made.fields;
				send({ ...made, fields });
			}
		} else if (one.do === 'stop' || one.do === 'retry') {
			const statuses = one.do === 'stop' ? ['running', 'waiting'] : ['error', 'crashed', 'canceled'];
			const found = database.executions.filter(({ status }) => statuses.includes(status));
			const chosen = found[one.which % found.length];
			if (chosen) running[0]?.[one.do](chosen);
		} else if (one.do === 'restart') running[choices.upTo(processes)]?.kill();
		else if (one.do === 'disconnect') service.disconnect(one.ms);
		else if (one.do === 'wait') await pass(one.ms);
		else {
			const limits = database.executions.flatMap(({ waitTill }) => waitTill ?? []);
			const next = Math.min(...limits) - one.beforeMs;
			if (next < scheduler.now() + DAY_MS) await scheduler.run(next);
		}
		await pass(0);
	}
	database.isOver = true;
	await scheduler.run();
	return { ...database, taken: service.taken, visits, boots, log: started.flatMap(({ log }) => log) };
}

/** The links in a message. */
export const linksIn = ({ text }: TakenRequest): string[] =>
	[...text.matchAll(/http\S+/g)].map(([link]) => link);

function visitOf(
	{ link, method, form, forgery }: Extract<Step, { do: 'visit' }>,
	message: TakenRequest,
	{ executions }: WaitingDatabase,
): Visit {
	const links = linksIn(message);
	const url = new URL(links[link % links.length] ?? N8N_URL);
	const { executionId, pass, approved } = linkedIn(url);
	const execution = executions.find(({ id }) => id === executionId);
	const asked = execution?.workflow.questions[pass] as Question;
	if (forgery !== undefined) FORGERIES[forgery]?.(url);
	return {
		method,
		url: url.href,
		fields: FORMS[form],
		question: asked,
		...(forgery === undefined ? { link: { executionId, pass, approved } } : {}),
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
