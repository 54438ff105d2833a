import startCase from 'lodash/startCase';
import {
	UserError,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type INode,
	type INodeExecutionData,
	type IRun,
	type ITriggerFunctions,
	type IWebhookFunctions,
	type IWorkflowExecutionCustomData,
	type Logger,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import type { Client } from '../../api/client';
import type { Clock } from '../../api/clock';
import type { Download } from '../../api/download';
import { messageOf } from '../../api/errors';
import type { AccountState } from '../../api/rateLimiter';
import { downloadedItem } from '../../n8n/binaryData';
import { connect, connectInBackground, connectTo, CREDENTIAL, type Connection } from '../../n8n/connect';
import { httpRequestOf, type HttpRequest } from '../../n8n/httpRequest';
import { rowOf, type Row } from '../../n8n/journal/row';
import { allItems, siblingsOf, withoutEmptyItem } from '../../n8n/ownNode';
import { waitingUrlOf } from '../../n8n/waitingExecution';
import { clock } from '../account/clock';
import { reportItem, type Report } from './reports';

/** The parameters of the trigger. */
export interface TriggerParameters {
	/** Reads one, with its expression resolved. */
	getNodeParameter: (name: string, fallback: unknown) => unknown;
}

/** A trigger in its workflow. Nothing behind it sees n8n's context. */
export interface TriggerNode {
	node: INode;
	workflow: { id?: string; name?: string };
	/** Identifies the trigger among the nodes of all workflows. */
	key: string;
	isTest: boolean;
	parameters: TriggerParameters;
	logger: Logger;
}

/** A trigger with its account, as n8n calls it for a request, at its start and at its end. */
export interface Trigger extends TriggerNode {
	saved: SavedState;
	/** Whether the workflow is set to run in n8n's Engine 2.0. A node that runs there does not see this setting. */
	isSetToEngine2: boolean;
	instanceId: () => string;
	credential: () => Promise<ICredentialDataDecryptedObject>;
	/** Connects to the service. */
	connect: () => Promise<Client>;
	request: HttpRequest;
}

/** A trigger that n8n starts or ends. */
export interface StartedTrigger extends Trigger {
	/** Why n8n starts it. */
	activationMode: WorkflowActivateMode;
	/** Its URL; undefined where n8n does not tell, so that only the saved one is known. */
	ownUrl: string | undefined;
}

/** A trigger that n8n activates or deactivates. */
export interface ActivatedTrigger extends StartedTrigger {
	ownUrl: string;
	/** The name of another trigger of the workflow that has its URL; see `twinOf`. */
	twin: string | undefined;
}

/** A published trigger, while n8n runs it. */
export interface PublishedTrigger extends StartedTrigger {
	/** See `connectInBackground`. */
	connectInBackground: (clock: Clock) => Promise<Connection>;
	/** Starts an execution that fails and tells the user something. */
	report: (report: Report) => void;
	/** Starts an execution with one item. Resolves to how it ended; undefined if n8n could not start it. */
	run: (item: INodeExecutionData) => Promise<IRun | undefined>;
}

/** An execution of a trigger. */
export interface TriggerRun extends TriggerNode {
	items: INodeExecutionData[];
	/** The parameters with the expressions for an item. Those of the run itself are for the first. */
	parametersOf: (itemIndex: number) => TriggerParameters;
	/** Whether n8n goes on when the run fails. It then outputs the items that came in. */
	continuesOnFail: boolean;
	mode: WorkflowExecuteMode;
	executionId: string;
	/** Aborted when n8n ends the execution. */
	cancelled: AbortSignal | undefined;
	/** Calls a function when the execution has ended; undefined in n8n 1.x. */
	onFinish: ((finish: () => Promise<void>) => void) | undefined;
	/** What n8n stores for the node. */
	row: Row;
	/** What n8n stores for the workflow. */
	workflowRow: Row;
	/** The URL of this n8n below which its executions wait; see `waitingUrlOf`. */
	waitingUrl: () => string;
	/** Keeps a text with the execution. */
	keep: (name: string, text: string) => void;
	credential: () => Promise<ICredentialDataDecryptedObject>;
	/** Connects to the service. */
	connect: () => Promise<Client>;
	/** What all executions of this process share about the account. */
	accountState: () => Promise<AccountState>;
	request: HttpRequest;
	/** Stores a downloaded file, and returns its item. */
	storeFile: (
		download: Download,
		field: string,
		media: Record<string, unknown>,
	) => Promise<INodeExecutionData>;
}

/** What n8n's contexts all say of a trigger. */
function nodeOf(
	context: IExecuteFunctions | IHookFunctions | ITriggerFunctions | IWebhookFunctions,
	isTest: boolean,
	parameters: TriggerParameters,
): TriggerNode {
	const [node, workflow] = [context.getNode(), context.getWorkflow()];
	return { node, workflow, key: `${workflow.id} ${node.id}`, isTest, parameters, logger: context.logger };
}

/** Parameters of which a failing expression is told with its field. n8n shows only the message, so it contains the advice. */
function withNamedFields(read: TriggerParameters['getNodeParameter']): TriggerParameters {
	return {
		getNodeParameter(name, fallback) {
			try {
				return read(name, fallback);
			} catch (error) {
				throw expressionError(name, error);
			}
		},
	};
}

function expressionError(name: string, error: unknown): UserError {
	const field = startCase(name.replace('options.', ''));
	return new UserError(`'${field}' has an expression that fails: ${messageOf(error)}. Correct it.`);
}

/** Reads what n8n says of a trigger. */
export function triggerOf(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
	isTest: boolean,
): Trigger {
	return {
		...nodeOf(context, isTest, { getNodeParameter: context.getNodeParameter.bind(context) }),
		saved: context.getWorkflowStaticData('node'),
		isSetToEngine2: context.getWorkflowSettings().engineType === 'v2',
		instanceId: () => context.getInstanceId(),
		credential: async () => await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL),
		connect: async () => await connect(context),
		request: httpRequestOf(context),
	};
}

/** Reads a trigger that n8n activates or deactivates. */
export function activatedTriggerOf(context: IHookFunctions): ActivatedTrigger {
	const activationMode = context.getActivationMode();
	const ownUrl = context.getNodeWebhookUrl('default') ?? '';
	return {
		...triggerOf(context, activationMode === 'manual'),
		parameters: withNamedFields(context.getNodeParameter.bind(context)),
		activationMode,
		ownUrl,
		twin: twinOf(context),
	};
}

/**
 * The name of another trigger of the workflow with the same URL, which the editor gives a copy. n8n 1.x publishes both, and calls the
 * one that it has registered last; 2.x refuses.
 */
function twinOf(context: IHookFunctions): string | undefined {
	const { webhookId } = context.getNode();
	if (webhookId === undefined) return undefined;
	return siblingsOf(context).find((other) => other.webhookId === webhookId)?.name;
}

/** Reads a trigger that n8n runs. */
export function publishedTriggerOf(context: ITriggerFunctions): PublishedTrigger {
	return {
		...triggerOf(context, false),
		parameters: parametersNow(context),
		activationMode: context.getActivationMode(),
		ownUrl: undefined,
		connectInBackground: async (clock) => await connectInBackground(context, clock),
		report: (report) => context.emit([[reportItem(report)]]),
		async run(item) {
			const done = context.helpers.createDeferredPromise<IRun>();
			context.emit([[item]], undefined, done);
			return await done.promise.catch(() => undefined);
		},
	};
}

/**
 * The parameters of a trigger with what their expressions give now. Once n8n has started a trigger, its expression engine refuses to
 * evaluate any for it.
 */
function parametersNow(context: ITriggerFunctions): TriggerParameters {
	const { parameters } = context.getNode();
	const ofOptions = Object.keys(parameters.options ?? {}).map((name) => `options.${name}`);
	const values = new Map<string, unknown>();
	for (const name of [...Object.keys(parameters), ...ofOptions]) {
		try {
			values.set(name, context.getNodeParameter(name));
		} catch (error) {
			// Only who needs it fails. That of 'Download Media' can use the item.
			values.set(name, error);
		}
	}
	return withNamedFields((name, fallback) => {
		const value = values.has(name) ? values.get(name) : context.getNodeParameter(name, fallback);
		if (value instanceof Error) throw value;
		return value;
	});
}

/** Reads an execution of a trigger. */
export function triggerRunOf(context: IExecuteFunctions): TriggerRun {
	// n8n applies them after the trigger has output its items, and tells it of no change that comes after publication.
	withoutEmptyItem(context);
	const mode = context.getMode();
	const parametersOf = (itemIndex: number) =>
		withNamedFields((name, fallback) => context.getNodeParameter(name, itemIndex, fallback));
	return {
		...nodeOf(context, mode === 'manual', parametersOf(0)),
		items: allItems(context),
		parametersOf,
		continuesOnFail: context.continueOnFail(),
		mode,
		executionId: context.getExecutionId(),
		cancelled: context.getExecutionCancelSignal(),
		onFinish: context.onExecutionFinish?.bind(context),
		row: rowOf(context, 'node'),
		workflowRow: rowOf(context, 'workflow'),
		waitingUrl: () => waitingUrlOf(context),
		keep(name, text) {
			// n8n 1.x has no `context.customData`.
			const { customData } = context.getWorkflowDataProxy(0).$execution as {
				customData: IWorkflowExecutionCustomData;
			};
			customData.set(name, text);
		},
		credential: async () => await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL),
		connect: async () => await connect(context),
		accountState: async () => (await connectTo(context, clock)).account,
		request: httpRequestOf(context),
		storeFile: async (download, field, media) => await downloadedItem(context, download, field, media),
	};
}

/**
 * What n8n keeps of a published trigger with its workflow. n8n saves a change only while it starts or ends the trigger. All
 * times are Unix milliseconds of n8n's clock. Workflows hold the names, so these must not change.
 */
export interface SavedState {
	/** The URL of the trigger; not set while it polls. */
	webhookUrl?: string;
	/** The account that it was published for, if the service names it. */
	accountId?: string;
	/** A digest of the base URL and the API key that it was published with, until its webhook is given back. */
	accountKey?: string;
	/** Of the signing secret that the service has shown to be right; see `secretDigestOf`. */
	secretDigest?: string;
	/** The event ID of the sample with which the secret was checked. */
	sampleId?: string;
	/** Since when the trigger has listened without a break. */
	listeningSince?: number;
	/** What it listens to, so that another trigger or another filter begins anew. */
	listeningTo?: string;
	/** When n8n ended the trigger the last time. */
	endedAt?: number;
	/** The same, but before n8n's failures to start it again. */
	listenedUntil?: number;
}
