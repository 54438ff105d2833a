import { nightly } from '../support/nightly';
import { fileNode, itemsNode, manualTrigger, messagingChannel, workflow } from '../support/n8n/workflow';
import { byPhone } from '../support/operations/parameters';
import { startWorld } from '../support/world/world';

nightly.test('a secret that somebody puts into a workflow is found wherever n8n takes it', async () => {
	const world = await startWorld();
	const { api } = world.n8n;
	const { apiKey, signingSecret } = world.secrets;
	const base64 = Buffer.from(`A file with ${apiKey}`).toString('base64');
	const send = messagingChannel(
		'Send',
		{ resource: 'message', operation: 'send', to: byPhone('905551234567'), message: `My key is ${apiKey}` },
		world.credential,
	);
	const steps = [manualTrigger(), itemsNode([{ base64, signingSecret }]), send, fileNode({})];
	const { id } = await api.createWorkflow(workflow('Careless', steps));
	expect((await api.run(id)).status).toBe('error');
	await api.deleteWorkflow(id);

	const why = 'test/e2e/secrets puts it into a workflow, to see that it is found.';
	for (const secret of ['API key', 'signing secret'] as const) {
		world.watch.allow({ secret, place: /^the answer to /, why });
		world.watch.allow({ secret, place: /database\.sqlite/, why });
	}
	world.watch.allow({ secret: 'API key', place: /, its body$/, why });
	// Fails when one of them was not found there, or anywhere else.
	await world.stop();
});
