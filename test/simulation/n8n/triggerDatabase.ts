import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { N8N_URL } from './network';
import type { RowOwner } from './row';

/** Another n8n that uses the same account. */
export const OTHER_N8N_URL = 'https://n8n-two.example.com';

/** How the trigger is set in one version of a workflow. */
export interface TriggerVersion {
	ifWebhookExists: 'fail' | 'replace' | 'share';
	events: readonly string[];
	timeoutSeconds: number;
	/** Undefined for `never`. */
	combineEvents?: 'whenBusy' | 'perChat';
	/** How far back it catches up, in minutes; undefined for not at all. */
	catchUpMinutes?: number;
	/** How often it polls; undefined if the events are delivered. */
	pollSeconds?: number;
	/** Whether it hands replies to waiting questions. */
	takesAnswers?: boolean;
	/** The words of which a message must have one. */
	keywords?: readonly string[];
}

/** A time in which a workflow had to receive its events. */
export interface SettledPeriod {
	version: TriggerVersion;
	from: number;
	until: number;
}

/** Begins a period, unless one with this version goes on. */
export function settle(workflow: TriggerWorkflow, version: TriggerVersion, from: number): void {
	const last = workflow.settled.at(-1);
	if (last?.until === Infinity && last.version === version) return;
	unsettle(workflow, from);
	workflow.settled.push({ version, from, until: Infinity });
}

/** Ends the period that goes on. */
export function unsettle(workflow: TriggerWorkflow, until: number): void {
	workflow.changes = (workflow.changes ?? 0) + 1;
	const last = workflow.settled.at(-1);
	if (last?.until === Infinity) last.until = until;
}

/** A workflow with one trigger. */
export interface TriggerWorkflow extends RowOwner {
	id: string;
	/** The base URL of its n8n. */
	n8nUrl?: string;
	/** What the editor shows. */
	draft: TriggerVersion;
	/** What the user published last; undefined when it is unpublished. */
	active?: TriggerVersion;
	/** The version whose trigger n8n has activated. */
	published?: TriggerVersion;
	/** Whether n8n remembers that it has activated that version. */
	isActivated?: boolean;
	/** The times in which a version was activated and nothing changed it, for the judgement. The last may still go on. */
	settled: SettledPeriod[];
	/** How many changes have ended a period. */
	changes?: number;
	/** Whether n8n passes requests for the production URL on. */
	hasRoute: boolean;
	staticData: IDataObject;
	/** The row that its nodes share. */
	sharedRow: RowOwner;
}

/** An execution that a delivery has started, or the trigger itself. */
export interface EventExecution {
	id: string;
	workflowId: string;
	mode: 'webhook' | 'manual' | 'trigger' | 'retry';
	eventId?: string;
	messageId?: string;
	/** `new` when it is stored and not begun. */
	status: 'new' | 'running' | 'success' | 'error' | 'crashed';
	items: INodeExecutionData[];
	storedAt: number;
	/** Which process received the delivery, or started it. */
	receivedIn: string;
	/** When n8n had a free slot for it, if it was held back. */
	releasedAt?: number;
	/** When the 200 for its delivery went out. */
	acknowledgedAt?: number;
	/** What it failed with. */
	error?: string;
	/** Which process ran it, since when, and whether its trigger put the event out. */
	ranIn?: string;
	beganAt?: number;
	hasItems?: boolean;
	putOutAt?: number;
	/** The IDs of the events that the trigger put out. */
	putOutIds?: string[];
	/** When it ended. */
	endedAt?: number;
	/** What it answers the process that started it. */
	customData?: Record<string, string>;
	/** Tells the process that started it that it has ended, however. */
	onEnd?: (execution: EventExecution) => void;
}

/** The events in items of the trigger, of which one can hold the messages of a chat. */
export function eventsIn(
	items: readonly INodeExecutionData[],
): Array<{ eventId?: string; messageId: string }> {
	const idOf = (message: unknown) => String((message as { id?: string } | undefined)?.id);
	return items.flatMap(({ json: { event_id: eventId, event_ids: eventIds, message, messages } }) =>
		Array.isArray(eventIds) && Array.isArray(messages)
			? eventIds.map((id, index) => ({ eventId: String(id), messageId: idOf(messages[index]) }))
			: [{ ...(typeof eventId === 'string' && { eventId }), messageId: idOf(message) }],
	);
}

/** For the judgement, an execution with several events is one for each. */
export function executionsOfEvents(execution: EventExecution): EventExecution[] {
	const { items, hasItems, putOutIds } = execution;
	const events = eventsIn(items);
	if (events.length < 2) return [execution];
	return events.map((event) => ({
		...execution,
		...event,
		...(hasItems !== undefined && { hasItems: putOutIds?.includes(String(event.eventId)) === true }),
	}));
}

/** A workflow that the leader is to publish or unpublish. */
export interface Publication {
	workflow: TriggerWorkflow;
	/** Undefined to unpublish. */
	version?: TriggerVersion;
	/** Whether n8n starts, and adds what was published before. */
	isStart: boolean;
	status: 'pending' | 'in progress' | 'over';
	/** Until when no other process takes it up, in Unix milliseconds. */
	leaseEndsAt: number;
}

/** A test run that waits for its event. */
export interface TestRegistration {
	workflow: TriggerWorkflow;
	version: TriggerVersion;
	staticData: IDataObject;
	expiresAt: number;
}

/** One call of the trigger's `create` or `delete`. */
export interface HookCall {
	hook: 'create' | 'delete';
	process: string;
	/** The URL that n8n has for the trigger, for production or for a test. */
	url: string;
	workflow: TriggerWorkflow;
	version: TriggerVersion;
	/** Whether it restores what was there before n8n started. */
	isStart: boolean;
	startedAt: number;
	/** When it sent its first request to the service, which changes nothing before. */
	firstRequestAt?: number;
	/** Both undefined while it runs, and when the process died in it. */
	endedAt?: number;
	succeeded?: boolean;
	/** The status of the response to its last request; 0 without one. */
	lastStatus?: number;
}

/** What outlives n8n's processes. */
export interface TriggerDatabase {
	workflows: TriggerWorkflow[];
	executions: EventExecution[];
	/** What triggers started themselves, for the judgement. */
	started: Array<{ process: string; workflowId: string; items: INodeExecutionData[]; at: number }>;
	/** The calls of `trigger()`, for the judgement. */
	triggerStarts: Array<{ process: string; workflow: TriggerWorkflow; version: TriggerVersion; at: number }>;
	publications: Publication[];
	/** By workflow. n8n keeps them in Redis, or in the memory of its only process. */
	tests: Map<string, TestRegistration>;
	/** The executions that wait for a worker. */
	jobs: EventExecution[];
	/** What stands in the credential. */
	signingSecret: string;
	/** What n8n did to the account's webhook, for the judgement. */
	hookCalls: HookCall[];
	/** What a trigger threw where it may throw nothing, for the judgement. */
	surprises: string[];
}

export const productionUrl = ({ id, n8nUrl = N8N_URL }: TriggerWorkflow) => `${n8nUrl}/webhook/${id}/webhook`;

export const testUrl = ({ id, n8nUrl = N8N_URL }: TriggerWorkflow) => `${n8nUrl}/webhook-test/${id}/webhook`;

/** A database with workflows of which none is published. */
export const newTriggerDatabase = (workflows: TriggerWorkflow[], signingSecret: string): TriggerDatabase => ({
	workflows,
	executions: [],
	started: [],
	triggerStarts: [],
	publications: [],
	tests: new Map(),
	jobs: [],
	signingSecret,
	hookCalls: [],
	surprises: [],
});

/** A workflow that was never published. */
export const newWorkflow = (draft: TriggerVersion, index = 0, n8nUrl?: string): TriggerWorkflow => ({
	id: `workflow-${index}`,
	...(n8nUrl !== undefined && { n8nUrl }),
	draft,
	hasRoute: false,
	settled: [],
	staticData: {},
	sharedRow: {},
});
