import once from 'lodash/once';
import {
	getGlobalState,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type Logger,
	type NodeExecutionHint,
} from 'n8n-workflow';

import type { FilePart } from '../api/apiRequest';
import type { Clock } from '../api/clock';
import type { Download } from '../api/download';
import type { Surroundings, WaitingExecution } from '../operation/operation';
import { downloadedItem, fileOf } from './binaryData';
import { connectItems, CREDENTIAL, type Connection } from './connect';
import { httpRequestOf } from './httpRequest';
import { itemParametersOf, type ItemParameters } from './itemParameters';
import { rowOf, type Row } from './journal/row';
import { allItems, changeSettings, siblingsOf, withoutEmptyItem } from './ownNode';
import { waitingExecutionOf, waitingUrlOf } from './waitingExecution';

/** One run of the action node: what n8n gives it, and what it can ask n8n to do. Nothing behind it sees n8n's context. */
export interface ActionRun {
	node: INode;
	/** Identifies the node among those of all workflows. */
	readonly nodeKey: string;
	/** The name of another such node with this one's ID, as in an imported workflow. n8n stores what both have sent in one place. */
	twin: () => string | undefined;
	/** The values of the resource and the operation that the user has selected. */
	selected: Record<'resource' | 'operation', unknown>;
	items: readonly INodeExecutionData[];
	/** How many input items n8n has left out, because of Execute Once. */
	leftOut: number;
	/** Whether an agent uses the node as a tool. */
	isTool: boolean;
	continuesOnFail: boolean;
	/** Whether failed items leave through an output of their own. */
	hasErrorOutput: boolean;
	/** Counts the passes of a loop. For a tool, it counts tries, and parallel calls can have the same. */
	runIndex: number;
	/** Whether this is a "Retry execution". */
	isRetry: boolean;
	/** What this execution shares with its retries, and with no other; undefined if it is not a retry, or n8n does not tell. */
	retryOf: string | undefined;
	/** Whether other processes of n8n may run the node at the same time (queue mode). */
	isWorker: boolean;
	/** What the node keeps in the data of its execution; undefined for a tool that n8n runs without an execution. */
	nodeData: IDataObject | undefined;
	/** The workflow's time zone, in which the user enters dates. */
	timezone: string;
	/** Aborted when n8n ends the execution. */
	cancelled: AbortSignal | undefined;
	logger: Logger;
	/** What the execution can do to wait for an answer. */
	waiting: () => WaitingExecution;
	surroundingsOf: (itemIndex: number) => Surroundings;
	parametersOf: (itemIndex: number) => ItemParameters;
	/**
	 * The file in a binary field of an item, or one that an expression gives; see `fileOf`.
	 *
	 * @throws InvalidInput when the field holds no file, or one that cannot be sent
	 */
	fileOf: (itemIndex: number, source: unknown) => FilePart;
	/** Stores a downloaded file, and returns its item. */
	storeFile: (download: Download, binaryPropertyName: string) => Promise<INodeExecutionData>;
	/**
	 * Connects the items; see `connectItems`.
	 *
	 * @throws ApiError when all items share a credential that cannot be used
	 */
	connect: (clock: Clock) => Promise<(itemIndex: number) => Promise<Connection>>;
	/** What n8n stores for the node. */
	row: () => Row;
	showHints: (hints: readonly NodeExecutionHint[]) => void;
	/** Keeps the first output empty if all items go to the error output. */
	withoutEmptyItem: () => void;
}

/** Reads what n8n's context holds for this run of the node. */
export function actionRunOf(context: IExecuteFunctions): ActionRun {
	const node = context.getNode();
	// n8n adds 'Tool' to its type if an agent uses it.
	const isTool = node.type.endsWith('Tool');
	const hasErrorSetting = node.onError === 'continueErrorOutput';
	// A tool has no error output: n8n would drop all, so the model would send again.
	if (isTool && hasErrorSetting) changeSettings(context, { onError: 'continueRegularOutput' });
	const items = context.getInputData();
	return {
		node,
		timezone: timezoneOf(context),
		twin: once(() => siblingsOf(context).find(({ id }) => id === node.id)?.name),
		get nodeKey() {
			return `${context.getWorkflow().id} ${node.id}`;
		},
		selected: {
			resource: context.getNodeParameter('resource', 0),
			// The resource can be one that has none, such as n8n's 'Custom API Call'.
			operation: context.getNodeParameter('operation', 0, ''),
		},
		items,
		// A tool can run without an execution, of which n8n tells nothing then.
		leftOut: node.executeOnce === true ? allItems(context).length - items.length : 0,
		isTool,
		continuesOnFail: context.continueOnFail(),
		hasErrorOutput: hasErrorSetting && !isTool,
		runIndex: Number(context.getWorkflowDataProxy(0).$runIndex),
		isRetry: context.getMode() === 'retry',
		retryOf: context.getMode() === 'retry' ? originOf(context) : undefined,
		isWorker: isWorkerProcess(context),
		nodeData: isTool ? toolDataOf(context) : context.getContext('node'),
		cancelled: context.getExecutionCancelSignal(),
		logger: context.logger,
		waiting: () => waitingExecutionOf(context),
		surroundingsOf: (itemIndex) => surroundingsOf(context, itemIndex),
		parametersOf: (itemIndex) => itemParametersOf(context, itemIndex, isTool),
		fileOf: (itemIndex, source) => fileOf(context.helpers, items[itemIndex], source),
		storeFile: async (download, binaryPropertyName) =>
			await downloadedItem(context, download, binaryPropertyName),
		connect: async (clock) => await connectItems(context, clock, items.length),
		row: () => rowOf(context, 'node'),
		showHints: (hints) => context.addExecutionHints(...hints),
		withoutEmptyItem: () => withoutEmptyItem(context),
	};
}

/** What n8n keeps for a tool. It runs the tools of its own Agents without an execution, so it stores nothing of what they do. */
function toolDataOf(context: IExecuteFunctions): IDataObject | undefined {
	try {
		return context.getContext('node');
	} catch {
		return undefined;
	}
}

/** What n8n says of itself for an item. */
function surroundingsOf(context: IExecuteFunctions, itemIndex: number): Surroundings {
	return {
		credential: async () =>
			await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, itemIndex),
		// Executions wait beside the webhooks, below a path that an administrator can rename.
		webhooksUrl: waitingUrlOf(context).replace(/\/[^/]+$/, ''),
		editorUrl: String(context.getInstanceBaseUrl()).replace(/\/+$/, ''),
		instanceId: context.getInstanceId(),
		timezone: timezoneOf(context),
		request: httpRequestOf(context),
	};
}

/** Before somebody saves it in the editor, a workflow of n8n's API or command line can say 'DEFAULT'. */
function timezoneOf(context: IExecuteFunctions): string {
	const timezone = context.getTimezone();
	return timezone === 'DEFAULT' ? getGlobalState().defaultTimezone : timezone;
}

/** n8n tells nodes nothing of queue mode, but its contexts hold what the process was started as. */
function isWorkerProcess(context: IExecuteFunctions): boolean {
	const { instanceSettings } = context as { instanceSettings?: { instanceType?: unknown } };
	return instanceSettings?.instanceType === 'worker';
}

function originOf(context: IExecuteFunctions): string | undefined {
	const { establishedAt } = context.getExecutionContext() ?? {};
	if (establishedAt === undefined) return undefined;
	// In n8n 2.x the query holds a signature whose secret belongs to the execution and its retries.
	const { resumeUrl } = context.getWorkflowDataProxy(0).$execution as { resumeUrl: string };
	return `${establishedAt} ${resumeUrl.replace(/^[^?]*/, '')}`;
}
