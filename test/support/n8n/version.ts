import type { ExecutionStatus } from 'n8n-workflow';
import { resolve, sep } from 'node:path';

import type { ExecutionSummary } from './execution';
import type { Session } from './session';

/** One page of n8n's list of executions. */
export interface ExecutionPage {
	results: ExecutionSummary[];
	nextCursor?: string | null;
}

/** What not every version has. */
export type Capability =
	/** Agents that are no nodes of a workflow. */
	| 'ownAgents'
	/** A person who reviews what an agent wants to do. */
	| 'humanReview'
	/** A service that publishes, and leaves triggers alone that did not change. */
	| 'publicationService'
	/** An answer to an event only after its execution is stored. */
	| 'storingBeforeAnswering'
	/** A node that creates data tables. */
	| 'tableCreation'
	/** An agent that goes on when a tool fails. */
	| 'survivingToolErrors'
	/** What memory nodes of packages are built with. */
	| 'packageMemory'
	/** An assistant that builds workflows, and files of it with the search that it uses. */
	| 'workflowBuilder'
	/** A report of what version 3 removes. */
	| 'migrationReport';

/** What differs between the versions of n8n in what this harness uses of them: the only place that knows. */
export interface Version {
	/** The major versions of Node that run it, for machines no package brings one for. */
	node: number[];
	/** Modules that no test touches; leaving them out halves the boot time. It refuses names that it does not know. */
	unusedModules: string[];
	/** Environment that only this one needs. */
	environment?: Record<string, string>;
	/** Whether its first start takes the owner from its environment; otherwise a request makes the owner. */
	ownerFromEnvironment: boolean;
	/** Whether nothing older is supported. */
	isOldest: boolean;
	has: Capability[];
	/** Whether a workflow that others start must be published too; where it need not, it cannot. */
	publishesSubworkflows: boolean;
	/** The body that runs a stored workflow from one of its triggers. */
	runBody(http: Session, workflowId: string, trigger: string): Promise<object>;
	/** Narrows the list of executions so that it comes in the order of their ids. */
	executionFilter?: object;
	/** What to ask for the page after this one; undefined when it was the last. */
	nextExecutions(page: ExecutionPage, limit: number): Record<string, string> | undefined;
}

/** All of them, written down, as loading n8n's list with all that it brings takes a second. */
const EVERY_STATUS: ExecutionStatus[] = [
	'canceled',
	'crashed',
	'error',
	'new',
	'running',
	'success',
	'unknown',
	'waiting',
];

const startFrom = (name: string) => ({ triggerToStartFrom: { name } });

const versions: Record<string, Version> = {
	'2.41.3': {
		node: [24],
		unusedModules: [
			'agents',
			'breaking-changes',
			'chat-hub',
			'dynamic-credentials',
			'encryption-key-manager',
			'external-secrets',
			'favorites',
			'insights',
			'instance-ai',
			'instance-registry',
			'instance-version-history',
			'ldap',
			'log-streaming',
			'mcp',
			'mcp-registry',
			'n8n-packages',
			'oauth-jwe',
			'oauth-server',
			'otel',
			'provisioning',
			'quick-connect',
			'redaction',
			'runtime-credentials',
			'source-control',
			'sso-oidc',
			'sso-saml',
			'token-exchange',
			'workflow-builder',
			'workflow-reviews',
		],
		// A database that is too busy to answer within 5 s is taken for lost, and every request is refused.
		environment: { DB_PING_TIMEOUT_MS: '120000' },
		ownerFromEnvironment: true,
		isOldest: false,
		has: [
			'ownAgents',
			'humanReview',
			'publicationService',
			'storingBeforeAnswering',
			'tableCreation',
			'survivingToolErrors',
			'packageMemory',
			'workflowBuilder',
			'migrationReport',
		],
		publishesSubworkflows: true,
		runBody: async (_, __, trigger) => startFrom(trigger),
		nextExecutions: ({ nextCursor }) => (nextCursor ? { cursor: nextCursor } : undefined),
	},
	'1.123.81': {
		node: [20, 22, 24],
		unusedModules: ['breaking-changes', 'external-secrets', 'insights', 'mcp', 'provisioning'],
		// The first as in 2.x: without it, an execution can be read between the writing of its status and of its data.
		// A database that is too busy to answer within 5 s is taken for lost, and every request is refused.
		environment: { DB_SQLITE_POOL_SIZE: '3', DB_PING_INTERVAL_SECONDS: '3600' },
		ownerFromEnvironment: false,
		isOldest: true,
		has: [],
		publishesSubworkflows: false,
		runBody: async ({ rest }, workflowId, trigger) => ({
			...startFrom(trigger),
			workflowData: await rest('GET', `/workflows/${workflowId}`),
		}),
		executionFilter: { status: EVERY_STATUS },
		nextExecutions: ({ results }, limit) => {
			const last = results.at(-1);
			return last && results.length >= limit ? { lastId: last.id } : undefined;
		},
	},
};

const outside = process.env.N8N_COMMAND;

/**
 * The program that starts an n8n from outside instead of one that is installed here: it gets n8n's arguments and the
 * environment, and ends when its standard input does.
 */
export const n8nCommand = outside?.includes(sep) ? resolve(outside) : outside;

/** The n8n that tests and `npm start` run: `N8N_VERSION` of the environment. */
export const n8nVersion = process.env.N8N_VERSION ?? '2.41.3';

/** What is special about the n8n that runs. */
export const underTest = describedVersion(n8nVersion, n8nCommand !== undefined);

/**
 * What is special about a version. One from outside may be unknown: it is taken for the newest known one that has no higher
 * major version, with all of its modules.
 *
 * @throws Error when it is to be installed, and there is no lockfile of it
 */
function describedVersion(version: string, isFromOutside: boolean): Version {
	const known = Object.keys(versions);
	const major = (name: string) => Number.parseInt(name, 10);
	const nearest = versions[known.find((name) => major(name) <= major(version)) ?? ''];
	const found =
		versions[version] ?? (isFromOutside && nearest ? { ...nearest, unusedModules: [] } : undefined);
	if (!found) throw new Error(`N8N_VERSION is ${version}; there are ${known.join(' and ')}`);
	if (!isFromOutside) return found;
	return { ...found, has: found.has.filter((capability) => capability !== 'workflowBuilder') };
}
