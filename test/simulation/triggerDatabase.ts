import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { RowOwner } from './row';

export const N8N_URL = 'https://n8n.example.com';

/** How the trigger is set in one version of a workflow. */
export interface TriggerVersion {
	ifWebhookExists: 'fail' | 'replace';
	events: string[];
	timeoutSeconds: number;
}

/** A workflow with one trigger. */
export interface TriggerWorkflow extends RowOwner {
	id: string;
	/** What the editor shows. */
	draft: TriggerVersion;
	/** What the user published last; undefined when it is unpublished. */
	active?: TriggerVersion;
	/** The version whose trigger n8n has activated. */
	published?: TriggerVersion;
	/** Whether n8n passes requests for the production URL on. */
	hasRoute: boolean;
	staticData: IDataObject;
}

/** An execution that a delivery has started. */
export interface EventExecution {
	id: string;
	workflowId: string;
	mode: 'webhook' | 'manual';
	eventId?: string;
	messageId?: string;
	/** `new` when it is stored and not begun. */
	status: 'new' | 'running' | 'success' | 'error' | 'crashed';
	items: INodeExecutionData[];
	storedAt: number;
	/** Which process received the delivery. */
	receivedIn: string;
	/** When the 200 for its delivery went out. */
	acknowledgedAt?: number;
	/** Which process ran it, since when, and whether its trigger put the event out. */
	ranIn?: string;
	beganAt?: number;
	hasItems?: boolean;
	putOutAt?: number;
}

/** A workflow's wish to be published or unpublished, which the leader fulfils. */
export interface Publication {
	workflow: TriggerWorkflow;
	/** Undefined to unpublish. */
	version?: TriggerVersion;
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
}

/** What outlives n8n's processes. */
export interface TriggerDatabase {
	workflows: TriggerWorkflow[];
	executions: EventExecution[];
	publications: Publication[];
	/** By workflow. n8n keeps them in Redis, or in the memory of its only process. */
	tests: Map<string, TestRegistration>;
	/** The executions that wait for a worker. */
	jobs: EventExecution[];
	/** The signing secret that stands in the credential. */
	signingSecret: string;
	/** What n8n did to the account's webhook, for the judgement. */
	hookCalls: HookCall[];
	/** What a trigger threw where it may throw nothing, for the judgement. */
	surprises: string[];
}

export const productionUrl = ({ id }: TriggerWorkflow) => `${N8N_URL}/webhook/${id}/webhook`;

export const testUrl = ({ id }: TriggerWorkflow) => `${N8N_URL}/webhook-test/${id}/webhook`;

/** A database with workflows of which none is published. */
export const newTriggerDatabase = (workflows: TriggerWorkflow[], signingSecret: string): TriggerDatabase => ({
	workflows,
	executions: [],
	publications: [],
	tests: new Map(),
	jobs: [],
	signingSecret,
	hookCalls: [],
	surprises: [],
});
