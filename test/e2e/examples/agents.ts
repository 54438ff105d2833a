import { startModelServer, type ModelServer } from '../../support/n8n/modelServer';
import { withCredentialChosen, type CredentialReference } from '../../support/n8n/workflow';
import type { World } from '../../support/world/world';
import { readExample, withChanges, type Change } from './example';

/** A model server for the examples with an AI agent. */
export interface Agents {
	model: () => ModelServer;
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
		install: async (name, changes = []) => {
			const example = withChanges(withCredentialChosen(await readExample(name), world().credential), changes);
			const { id, name: credentialName } = openAi;
			const nodes = example.nodes.map((node) =>
				ASKS_THE_MODEL.includes(node.type)
					? { ...node, credentials: { openAiApi: { id, name: credentialName } } }
					: node,
			);
			return (await world().n8n.api.createWorkflow({ ...example, nodes })).id;
		},
	};
}
