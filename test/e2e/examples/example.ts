import set from 'lodash/fp/set';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { repository } from '../../support/n8n/paths';
import { withCredentialChosen, type WorkflowDefinition } from '../../support/n8n/workflow';
import type { World } from '../../support/world/world';

const folder = join(repository, 'examples');

/** The names of all examples, which are their files' names without the ending. */
export function exampleNames(): string[] {
	return readdirSync(folder)
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.replace('.json', ''))
		.sort();
}

/** Examples that create a data table to begin with. */
export const withTables = ['delivery-tracking', 'gather-bursts', 'order-notifications', 'take-over'];

/** Examples with an Agent of n8n's own. */
export const withOwnAgent = ['message-an-agent'];

/** An example as a user imports it. */
export async function readExample(name: string): Promise<WorkflowDefinition> {
	return JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as WorkflowDefinition;
}

/** One thing that a user enters into an example, or that a test cannot wait for. */
export interface Change {
	node: string;
	/** Path below the node's parameters. */
	parameter: string;
	value: unknown;
}

/** The workflow with some parameters changed; each must be there already, so that a renamed one is noticed. */
export function withChanges(workflow: WorkflowDefinition, changes: Change[]): WorkflowDefinition {
	return changes.reduce((changed, { node: name, parameter, value }) => {
		const index = changed.nodes.findIndex((node) => node.name === name);
		if (index < 0) throw new Error(`The example has no node '${name}'`);
		return set(['nodes', index, 'parameters', ...parameter.split('.')], value, changed);
	}, workflow);
}

/** What a user does after the import: chooses the credential and enters what is said in the note. */
export async function installExample(
	{ n8n, credential }: World,
	name: string,
	changes: Change[] = [],
	settings: WorkflowDefinition['settings'] = {},
): Promise<string> {
	const workflow = withChanges(withCredentialChosen(await readExample(name), credential), changes);
	const { id } = await n8n.api.createWorkflow({
		...workflow,
		settings: { ...workflow.settings, ...settings },
	});
	return id;
}

/** Runs the body with an example that is active meanwhile. */
export async function whileActive(
	{ n8n }: World,
	workflowIds: string[],
	body: () => Promise<void>,
): Promise<void> {
	for (const id of workflowIds) await n8n.api.activate(id);
	try {
		await body();
	} finally {
		for (const id of [...workflowIds].reverse()) await n8n.api.deactivate(id);
	}
}
