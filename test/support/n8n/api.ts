import type { IBinaryData, ICredentialDataDecryptedObject, INodeTypeDescription } from 'n8n-workflow';
import { poll } from '../poll';
import type { SecretWatch } from '../secrets/watch';
import {
	isSettled,
	readExecution,
	type Execution,
	type ExecutionSummary,
	type StoredExecution,
} from './execution';
import { N8nRequestError, session, type Login, type Session } from './session';
import { underTest, type ExecutionPage } from './version';
import type { CredentialReference, StoredWorkflow, WorkflowDefinition } from './workflow';

/** What tests ask of n8n, over the API its editor uses. Failures reject with n8n's own message. */
export interface N8nApi {
	/** Every node type n8n knows. Needs an n8n started with `editor: true`. */
	nodeTypes(): Promise<INodeTypeDescription[]>;
	/** The description of one node type as n8n completed it. */
	nodeType(name: string, version?: number): Promise<INodeTypeDescription>;

	createCredential(
		type: string,
		name: string,
		data: ICredentialDataDecryptedObject,
	): Promise<CredentialReference>;
	/** Every credential that the user may use. */
	credentials(): Promise<CredentialReference[]>;
	/** Saves a credential with new values; n8n refuses names shorter than three characters here. */
	updateCredential(credential: CredentialReference, data: ICredentialDataDecryptedObject): Promise<void>;
	deleteCredential(credential: CredentialReference): Promise<void>;
	/** Presses "Test" on a stored credential, with these values in its form. */
	testCredential(
		credential: CredentialReference,
		data: ICredentialDataDecryptedObject,
	): Promise<{ status: 'OK' | 'Error'; message: string }>;

	createWorkflow(definition: WorkflowDefinition): Promise<StoredWorkflow>;
	updateWorkflow(id: string, definition: Partial<WorkflowDefinition>): Promise<StoredWorkflow>;
	/** Unpublishes a workflow and puts it aside, from where its owner can take it back. */
	archiveWorkflow(id: string): Promise<void>;
	deleteWorkflow(id: string): Promise<void>;
	workflow(id: string): Promise<StoredWorkflow>;
	/** All workflows, without their nodes. */
	workflows(): Promise<Array<Pick<StoredWorkflow, 'id' | 'name' | 'active' | 'isArchived'>>>;
	/** Publishes the workflow's current version; rejects with the trigger's own message when it could not register. */
	activate(id: string): Promise<void>;
	deactivate(id: string): Promise<void>;
	/** Waits until n8n has done so, also in the background; rejects with the trigger's own message when it could not. */
	untilPublished(id: string): Promise<void>;

	/** Runs a workflow by hand from a trigger node and waits for the end. */
	run(workflowId: string, startNode?: string, timeoutMs?: number): Promise<Execution>;
	/** Starts a workflow by hand and returns the id of its execution at once. */
	start(workflowId: string, startNode?: string): Promise<string>;
	/** Presses "Listen for test event" on a webhook trigger. */
	listenForTestEvent(workflowId: string, trigger?: string): Promise<void>;
	stopListening(workflowId: string): Promise<void>;

	/** The executions of one workflow, or all, newest first. */
	executions(workflowId?: string): Promise<ExecutionSummary[]>;
	execution(id: string): Promise<Execution>;
	/** Whether an execution of a workflow is under way. */
	isRunning(workflowId: string): Promise<boolean>;
	/** Waits until an execution is over (or waits for something outside n8n). */
	waitForExecution(id: string, timeoutMs?: number): Promise<Execution>;
	/** Waits until an execution is over, for one that has been given what it waited for. */
	waitForEnd(id: string, timeoutMs?: number): Promise<Execution>;
	/** Waits until this many executions of a workflow are over and returns them, oldest first. */
	waitForExecutions(workflowId: string, count: number, timeoutMs?: number): Promise<Execution[]>;
	/** Presses "Retry" on a failed execution and waits for the end. */
	retryExecution(id: string, options?: { withCurrentWorkflow?: boolean }): Promise<Execution>;
	/** Cancels a running execution. */
	stopExecution(id: string): Promise<void>;
	/** The bytes of an item's binary data, wherever n8n keeps them. */
	download(binary: IBinaryData): Promise<Buffer>;
}

const defaultStart = 'Start';
const defaultTrigger = 'Messaging Channel Trigger';
/** Only for what never happens: on a busy machine the rest may take long. */
const defaultTimeout = 240_000;

/** A client of the n8n at this address, logged in as the tests' owner; a watch sees all that is entered and answered. */
export function connect(url: string, watch?: SecretWatch, login?: Login): N8nApi {
	const look = (request: string, answer: string) => watch?.look(`the answer to ${request}`, answer);
	const http = session(url, look, login);
	const { rest } = http;
	const workflow = async (id: string) => await rest<StoredWorkflow>('GET', `/workflows/${id}`);
	const archiveWorkflow = async (id: string) => void (await rest('POST', `/workflows/${id}/archive`, {}));
	const stored = async (id: string) => await rest<StoredExecution>('GET', `/executions/${id}`);
	const execution = async (id: string) => await readExecution(await stored(id));
	const waitUntil = async (isOver: typeof isSettled, id: string, timeoutMs = defaultTimeout) => {
		let current: StoredExecution | undefined;
		return await poll(
			async () => {
				current = await stored(id).catch(unlessBusy);
				return current && isOver(current) && (await readExecution(current));
			},
			{ timeoutMs, failure: () => `execution ${id} did not end, its status is ${current?.status}` },
		);
	};
	const waitForExecution = async (id: string, timeoutMs?: number) =>
		await waitUntil(isSettled, id, timeoutMs);
	const runFrom = async (workflowId: string, trigger: string) =>
		await rest<{ executionId?: string; waitingForWebhook?: boolean }>(
			'POST',
			`/workflows/${workflowId}/run`,
			await underTest.runBody(http, workflowId, trigger),
		);
	const start = async (workflowId: string, startNode = defaultStart) => {
		const started = await runFrom(workflowId, startNode);
		if (!started.executionId)
			throw new Error(`"${startNode}" waits for a request; use listenForTestEvent for it`);
		return started.executionId;
	};
	const executions = async (workflowId?: string) => await listExecutions(http, workflowId);

	return {
		nodeTypes: async () => {
			const response = await http.get('/types/nodes.json');
			if (!response.ok)
				throw new Error(`/types/nodes.json answered ${response.status}: start n8n with editor: true`);
			return (await response.json()) as INodeTypeDescription[];
		},
		nodeType: async (name, version = 1) => {
			const [found] = await rest<INodeTypeDescription[]>('POST', '/node-types', {
				nodeInfos: [{ name, version }],
			});
			if (!found) throw new Error(`n8n does not know the node type ${name}`);
			return found;
		},

		createCredential: async (type, name, data) => {
			watch?.enter(type, data);
			const { id } = await rest<{ id: string }>('POST', '/credentials', { type, name, data });
			return { id, name, type };
		},
		credentials: async () => await rest('GET', '/credentials'),
		updateCredential: async ({ id, name, type }, data) => {
			watch?.enter(type, data);
			await rest('PATCH', `/credentials/${id}`, { name, type, data });
		},
		deleteCredential: async ({ id }) => void (await rest('DELETE', `/credentials/${id}`)),
		testCredential: async (credential, data) => {
			watch?.enter(credential.type, data);
			return await rest('POST', '/credentials/test', { credentials: { ...credential, data } });
		},

		createWorkflow: async (definition) => await rest('POST', '/workflows', { ...definition, active: false }),
		updateWorkflow: async (id, definition) => await rest('PATCH', `/workflows/${id}`, definition),
		archiveWorkflow,
		deleteWorkflow: async (id) => {
			await archiveWorkflow(id);
			await rest('DELETE', `/workflows/${id}`);
		},
		workflow,
		workflows: async () => await rest('GET', '/workflows'),
		activate: async (id) => {
			const { versionId } = await workflow(id);
			await rest('POST', `/workflows/${id}/activate`, { versionId });
			await untilPublished(http, id);
		},
		deactivate: async (id) => {
			await rest('POST', `/workflows/${id}/deactivate`, {});
			await untilPublished(http, id);
		},

		untilPublished: async (id) => await untilPublished(http, id),

		start: async (workflowId, startNode) => await start(workflowId, startNode),
		run: async (workflowId, startNode, timeoutMs) =>
			await waitForExecution(await start(workflowId, startNode), timeoutMs),
		listenForTestEvent: async (workflowId, trigger = defaultTrigger) => {
			const answer = await runFrom(workflowId, trigger);
			if (!answer.waitingForWebhook) throw new Error(`"${trigger}" does not wait for a request`);
		},
		stopListening: async (workflowId) => {
			await rest('DELETE', `/test-webhook/${workflowId}`);
		},

		executions,
		execution,
		isRunning: async (workflowId) => {
			const filter = JSON.stringify({ workflowId, status: ['new', 'running'] });
			const query = new URLSearchParams({ limit: '1', filter });
			const page = await rest<{ results: ExecutionSummary[] }>('GET', `/executions?${query.toString()}`);
			return page.results.length > 0;
		},
		waitForExecution,
		waitForEnd: async (id, timeoutMs) =>
			await waitUntil((current) => isSettled(current) && current.status !== 'waiting', id, timeoutMs),
		waitForExecutions: async (workflowId, count, timeoutMs = defaultTimeout) => {
			let all: ExecutionSummary[] = [];
			const settled = await poll(
				async () => {
					all = await executions(workflowId);
					const found = all.filter(isSettled);
					return found.length >= count && found;
				},
				{
					timeoutMs,
					failure: () =>
						`fewer than ${count} executions ended; there are: ${all.map(({ status }) => status).join(', ')}`,
				},
			);
			const oldestFirst = settled.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
			return await Promise.all(oldestFirst.map(execution));
		},
		retryExecution: async (id, { withCurrentWorkflow = false } = {}) => {
			const body = { loadWorkflow: withCurrentWorkflow };
			const retry = await rest<{ id: string }>('POST', `/executions/${id}/retry`, body);
			return await waitForExecution(retry.id);
		},
		stopExecution: async (id) => {
			await rest('POST', `/executions/${id}/stop`);
		},
		download: async (binary) => {
			// Data without an id is in the item itself.
			if (!binary.id) return Buffer.from(binary.data, 'base64');
			const response = await http.get(
				`/rest/binary-data?action=download&id=${encodeURIComponent(binary.id)}`,
			);
			if (!response.ok) throw new Error(`Binary data ${binary.id} answered ${response.status}`);
			return Buffer.from(await response.arrayBuffer());
		},
	};
}

/** An n8n that is too busy to look after its database says that it has none. */
function unlessBusy(error: unknown): undefined {
	if (!(error instanceof N8nRequestError) || error.status !== 503) throw error;
}

/** Waits for n8n's publication service, where it is switched on; without it everything has happened already. */
async function untilPublished({ rest }: Session, workflowId: string): Promise<void> {
	const status = async () =>
		await rest<PublicationStatus>('GET', `/workflows/${workflowId}/publication-status`).catch(
			(error: unknown) => {
				if (error instanceof N8nRequestError && error.status === 404) return undefined;
				throw error;
			},
		);
	const look = async () => {
		const current = await status();
		if (current?.status === 'in_progress') return false;
		const failed = current?.triggers.find(({ errorMessage }) => errorMessage);
		if (failed) throw new N8nRequestError(failed.errorMessage ?? '', 400, { nodeId: failed.nodeId });
		return true;
	};
	await poll(look, { timeoutMs: defaultTimeout, failure: `workflow ${workflowId} was not published` });
}

interface PublicationStatus {
	status: string;
	triggers: Array<{ nodeId: string; errorMessage: string | null }>;
}

async function listExecutions({ rest }: Session, workflowId?: string): Promise<ExecutionSummary[]> {
	const limit = 100;
	const filter = JSON.stringify({ ...underTest.executionFilter, workflowId });
	// Pages shift while executions begin and end, so that one can be on two of them.
	const found = new Map<string, ExecutionSummary>();
	let next: Record<string, string> | undefined = {};
	for (let pages = 0; next && pages < 1_000; pages++) {
		const query = new URLSearchParams({ limit: String(limit), filter, ...next }).toString();
		const page = await rest<ExecutionPage>('GET', `/executions?${query}`);
		for (const execution of page.results) found.set(execution.id, execution);
		next = underTest.nextExecutions(page, limit);
	}
	return [...found.values()];
}
