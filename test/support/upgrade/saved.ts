import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repository } from '../n8n/paths';
import type { WorkflowDefinition } from '../n8n/workflow';
import type { OperationCases } from '../operations/case';
import type { RequestRecord } from '../service/core/control';
import type { WebhookConfig } from '../service/core/records';

/** One request as a release of the package sent it. */
export type SavedRequest = Pick<RequestRecord, 'method' | 'path' | 'query' | 'body' | 'multipart'>;

/** What the service held before a node ran, and what it received. */
export interface SavedRun {
	prepare: Pick<OperationCases, 'seed' | 'calls' | 'queueHeld'>;
	requests: SavedRequest[];
}

/** What a release leaves for those that follow: workflows as the editor saved them, and what they made the service receive. */
export interface SavedRelease {
	/** A node for each operation, on its own beside the others; recorded by the name of the node. */
	operations: { workflow: WorkflowDefinition; recorded: Record<string, SavedRun> };
	/** A trigger, and an answer to what it received: how the account's webhook was set, and what was sent. */
	trigger: {
		workflow: WorkflowDefinition;
		recorded: { webhook: WebhookConfig | null; requests: SavedRequest[] };
	};
	/** Three questions, and a message with the answers. */
	questions: { workflow: WorkflowDefinition; recorded: SavedRequest[] };
}

const folder = join(repository, 'test', 'e2e', 'upgrade');

/** Where a release keeps the two halves of one of its parts. */
export const savedFiles = (release: string, part: keyof SavedRelease) => ({
	workflow: join(folder, release, `${part}.workflow.json`),
	recorded: join(folder, release, `${part}.requests.json`),
});

/** The releases that left something. */
export const releases = (): string[] =>
	readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** One part of what a release left. */
export function readSaved<Part extends keyof SavedRelease>(release: string, part: Part): SavedRelease[Part] {
	const { workflow, recorded } = savedFiles(release, part);
	const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
	return { workflow: read(workflow), recorded: read(recorded) } as SavedRelease[Part];
}
