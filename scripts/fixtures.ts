/**
 * Keeps what this release saves and sends, for the tests of later ones: `npm run fixtures -- 0.1.0`, once for each
 * release. What a release left is never written again.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NodeHelpers, type INode } from 'n8n-workflow';

import { operationsWorkflow, questionsWorkflow, triggerWorkflow } from '../test/support/upgrade/definitions';
import { importSaved, replayNode, replayQuestions, replayTrigger } from '../test/support/upgrade/replay';
import { savedFiles, type SavedRelease } from '../test/support/upgrade/saved';
import { startWorld, type World } from '../test/support/world/world';
import type { N8nApi } from '../test/support/n8n/api';
import type { WorkflowDefinition } from '../test/support/n8n/workflow';

/** The node as the editor saves it: without what is as the panel had it at first. */
async function saveNode({ nodeType }: N8nApi, node: INode): Promise<INode> {
	const type = await nodeType(node.type, node.typeVersion);
	const parameters = NodeHelpers.getNodeParameters(
		type.properties,
		node.parameters,
		false,
		false,
		node,
		type,
	);
	if (!parameters) throw new Error(`The panel does not take the parameters of ${node.name}`);
	return { ...node, parameters };
}

async function save(api: N8nApi, definition: WorkflowDefinition): Promise<WorkflowDefinition> {
	const nodes: INode[] = [];
	for (const node of definition.nodes) nodes.push(await saveNode(api, node));
	// Moments in the parameters mean something else in another zone.
	return { ...definition, nodes, settings: { ...definition.settings, timezone: 'Europe/Istanbul' } };
}

async function record(world: World): Promise<SavedRelease> {
	const { api } = world.n8n;
	const { workflow: definition, branches } = operationsWorkflow();
	const workflow = await save(api, definition);
	const { id } = await importSaved(world, workflow);
	const recorded: SavedRelease['operations']['recorded'] = {};
	for (const { name, seed, calls, queueHeld } of branches) {
		const prepare = { seed, calls, queueHeld };
		recorded[name] = { prepare, requests: await replayNode(world, id, name, prepare) };
	}
	const trigger = await save(api, triggerWorkflow());
	const questions = await save(api, questionsWorkflow());
	return {
		operations: { workflow, recorded },
		trigger: { workflow: trigger, recorded: await replayTrigger(world, trigger) },
		questions: { workflow: questions, recorded: await replayQuestions(world, questions) },
	};
}

async function main(): Promise<void> {
	const release = process.argv[2] ?? '';
	if (!/^\d+\.\d+\.\d+$/.test(release)) throw new Error('Name the release, such as 0.1.0');
	if (existsSync(dirname(savedFiles(release, 'trigger').workflow)))
		throw new Error(`${release} has been kept already, and stays as it is`);

	const world = await startWorld();
	try {
		const saved = Object.entries(await record(world)) as Array<[keyof SavedRelease, object]>;
		for (const [part, halves] of saved) {
			const files = savedFiles(release, part);
			await mkdir(dirname(files.workflow), { recursive: true });
			for (const [half, value] of Object.entries(halves) as Array<[keyof typeof files, unknown]>)
				await writeFile(files[half], `${JSON.stringify(value, null, '\t')}\n`);
		}
	} finally {
		await world.stop();
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
