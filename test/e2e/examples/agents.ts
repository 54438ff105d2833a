import set from 'lodash/fp/set';

import { startModelServer, type ModelServer } from '../../support/n8n/modelServer';
import { session } from '../../support/n8n/session';
import { withCredentialChosen, type CredentialReference } from '../../support/n8n/workflow';
import { MESSAGE_AN_AGENT } from '../../support/world/describeWhere';
import type { World } from '../../support/world/world';
import { readExample, withChanges, type Change } from './example';

/** A model server for the examples with an AI agent. */
export interface Agents {
	model: () => ModelServer;
	/** The credential of that server. */
	openAi: () => CredentialReference;
	/** Imports an example, chooses the credentials in its nodes, and enters what its note says. */
	install(name: string, changes?: Change[]): Promise<string>;
}

const ASKS_THE_MODEL = ['@n8n/n8n-nodes-langchain.lmChatOpenAi', '@n8n/n8n-nodes-langchain.openAi'];

/** Starts a model server before the tests of this block, and ends it after them. */
export function useAgents(world: () => World): Agents {
	let model: ModelServer;
	let openAi: CredentialReference;

	beforeAll(async () => {
		model = await startModelServer();
		const secrets = { apiKey: 'any', url: model.baseUrl };
		openAi = await world().n8n.api.createCredential('openAiApi', 'Scripted model', secrets);
	});
	afterAll(async () => await model?.stop());

	return {
		model: () => model,
		openAi: () => openAi,
		install: async (name, changes = []) => {
			const example = withChanges(withCredentialChosen(await readExample(name), world().credential), changes);
			const { id, name: credentialName } = openAi;
			const nodes = example.nodes.map((node) => {
				if (node.type === MESSAGE_AN_AGENT) return set('parameters.inlineAgent.config.credential', id, node);
				return ASKS_THE_MODEL.includes(node.type)
					? { ...node, credentials: { openAiApi: { id, name: credentialName } } }
					: node;
			});
			return (await world().n8n.api.createWorkflow({ ...example, nodes })).id;
		},
	};
}

/**
 * Publishes an Agent that several workflows can use, the only kind that can be called for each item.
 *
 * @returns its id
 */
export async function saveAgent({ n8n }: World, openAi: CredentialReference): Promise<string> {
	const { rest } = session(n8n.url);
	const { id: project } = await rest<{ id: string }>('GET', '/projects/personal');
	const path = `/projects/${project}/agents/v2`;
	const schema = {
		name: 'Customer service',
		model: 'openai/scripted',
		credential: openAi.id,
		instructions: 'Answer.',
		memory: { enabled: true, storage: 'n8n' },
	};
	const { id } = await rest<{ id: string }>('POST', path, { name: schema.name, schema });
	await rest('POST', `${path}/${id}/publish`, {});
	return id;
}
