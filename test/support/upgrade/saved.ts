import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';

import { repository } from '../n8n/paths';
import type { WorkflowDefinition } from '../n8n/workflow';
import type { ExpectedRequest } from '../operations/case';
import type { RequestRecord } from '../service/core/requestLog';
import type { WebhookConfig } from '../service/core/records';

/** One request as a release of the package sent it. */
export type SavedRequest = Pick<RequestRecord, 'method' | 'path' | 'query' | 'body' | 'multipart'>;

/** Parameters of a node without those that are as the panel had them at first, and what they make the service receive. */
export interface SavedOperation {
	parameters: INodeParameters;
	requests: readonly ExpectedRequest[];
}

/** What a release leaves for those that follow: what the editor saved, and what it made the service receive. */
export interface SavedRelease {
	/** With only what is required, and with every parameter, by a name that says so. */
	operations: Record<string, SavedOperation>;
	/** A trigger, and an answer to what it received: how the account's webhook was set, and what was sent. */
	trigger: {
		workflow: WorkflowDefinition;
		recorded: { webhook: WebhookConfig | null; requests: SavedRequest[] };
	};
	/** Three questions, and a message with the answers. */
	questions: { workflow: WorkflowDefinition; recorded: SavedRequest[] };
}

const folder = join(repository, 'test', 'e2e', 'upgrade');

/** Where a release keeps a part. */
export const savedFile = (release: string, part: keyof SavedRelease) => join(folder, release, `${part}.json`);

/** The releases that left something. */
export const releases = (): string[] => readdirSync(folder);

/** One part of what a release left. */
export const readSaved = <Part extends keyof SavedRelease>(release: string, part: Part): SavedRelease[Part] =>
	JSON.parse(readFileSync(savedFile(release, part), 'utf8')) as SavedRelease[Part];
