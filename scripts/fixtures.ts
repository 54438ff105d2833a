/**
 * Keeps what this release saves and sends, for the tests of later ones: `npm run fixtures -- 0.1.0`, once for each
 * release. What a release left is never written again.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NodeHelpers, type INode, type INodeParameters, type INodeTypeDescription } from 'n8n-workflow';

import { MessagingChannel } from '../nodes/MessagingChannel/MessagingChannel.node';
import { operations } from '../test/support/operations';
import { questionsWorkflow, triggerWorkflow } from '../test/support/upgrade/definitions';
import { replayQuestions, replayTrigger } from '../test/support/upgrade/replay';
import { savedFile, type SavedOperation, type SavedRelease } from '../test/support/upgrade/saved';
import { startWorld } from '../test/support/world/world';
import type { N8nApi } from '../test/support/n8n/api';
import { messagingChannel, type WorkflowDefinition } from '../test/support/n8n/workflow';

/** The parameters as the editor saves them: without what is as the panel had it at first. */
function savedParameters(type: INodeTypeDescription, node: INode): INodeParameters {
	const parameters = NodeHelpers.getNodeParameters(
		type.properties,
		node.parameters,
		false,
		false,
		node,
		type,
	);
	if (!parameters) throw new Error(`The panel does not take the parameters of ${node.name}`);
	return parameters;
}

/**
 * Of each operation, a node with only what is required, and one with every parameter unless another operation has the same
 * ones. The engine's tests show that they send so.
 */
function savedOperations(): SavedRelease['operations'] {
	const { description } = new MessagingChannel();
	const known = new Set<string>();
	const entries = operations.flatMap(({ resource, operation, minimal, full }) =>
		[minimal, full].flatMap((run, index): Array<[string, SavedOperation]> => {
			if (!run) return [];
			const form = JSON.stringify([resource, run.parameters]);
			if (index && known.has(form)) return [];
			known.add(form);
			const name = `${resource}: ${operation}${index ? ', all fields' : ''}`;
			const node = messagingChannel(name, { resource, operation, ...run.parameters }, '');
			return [[name, { parameters: savedParameters(description, node), requests: run.requests }]];
		}),
	);
	return Object.fromEntries(entries);
}

async function save(api: N8nApi, definition: WorkflowDefinition): Promise<WorkflowDefinition> {
	const nodes: INode[] = [];
	for (const node of definition.nodes) {
		const type = await api.nodeType(node.type, node.typeVersion);
		nodes.push({ ...node, parameters: savedParameters(type, node) });
	}
	return { ...definition, nodes };
}

async function main(): Promise<void> {
	const release = process.argv[2] ?? '';
	if (!/^\d+\.\d+\.\d+$/.test(release)) throw new Error('Name the release, such as 0.1.0');
	const folder = dirname(savedFile(release, 'operations'));
	if (existsSync(folder)) throw new Error(`${release} has been kept already, and stays as it is`);

	const world = await startWorld();
	try {
		const trigger = await save(world.n8n.api, triggerWorkflow());
		const questions = await save(world.n8n.api, questionsWorkflow());
		const saved: SavedRelease = {
			operations: savedOperations(),
			trigger: { workflow: trigger, recorded: await replayTrigger(world, trigger) },
			questions: { workflow: questions, recorded: await replayQuestions(world, questions) },
		};
		await mkdir(folder, { recursive: true });
		for (const part of Object.keys(saved) as Array<keyof SavedRelease>)
			await writeFile(savedFile(release, part), `${JSON.stringify(saved[part], null, '\t')}\n`);
	} finally {
		await world.stop();
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
