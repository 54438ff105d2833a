import type { INode, INodeParameters } from 'n8n-workflow';

import { useTrigger } from '../../support/engine/trigger';

const place = useTrigger();

const REFUSAL =
	"The trigger 'Copy' of this workflow has the same URL, because one is a copy of the other, so only one of them would get events. Delete one of the two, add a new Messaging Channel Trigger from n8n's list of nodes in its place, and publish the workflow again.";

// n8n 2.x refuses it itself when somebody publishes, and 1.x does not.
test.each(['activate', 'update', 'manual'] as const)(
	'a trigger with a copy in its workflow is refused before anything changes (%s)',
	async (mode) => {
		const trigger = await place.trigger({ copies: [{}] });

		await expect(trigger.activate(mode)).rejects.toThrow(REFUSAL);
		await trigger.deactivate(mode);

		expect(await place.config()).toBeNull();
	},
);

test.each<[string, Partial<INode>, INodeParameters]>([
	['is turned off', { disabled: true }, {}],
	['was added from the list of nodes', { webhookId: 'another' }, {}],
	['is of another kind', { type: 'n8n-nodes-base.telegramTrigger' }, {}],
	['polls, as does the original', {}, { listen: 'poll' }],
])('a second trigger that %s has a URL of its own, or needs none', async (_, copy, parameters) => {
	const trigger = await place.trigger({ parameters, copies: [copy] });

	expect(await trigger.activate()).toBe(true);
});

test('two triggers without a path of their own have URLs with their names', async () => {
	const trigger = await place.trigger({ node: { webhookId: undefined }, copies: [{}] });

	expect(await trigger.activate()).toBe(true);
});

test('n8n starts with what it has published', async () => {
	const trigger = await place.trigger({ copies: [{}] });

	expect(await trigger.activate('init')).toBe(true);
});

test('a copy that is refused ends nothing of the original that was published before', async () => {
	const original = await place.trigger();
	await original.activate();
	const { node, workflowId } = original;
	const copy = await place.trigger({
		node: { id: 'copy', name: 'Copy', webhookId: node.webhookId },
		workflowId,
		copies: [{ id: node.id, name: node.name }],
	});

	await expect(copy.activate('update')).rejects.toThrow("The trigger 'Listens' of this workflow");
	await copy.deactivate();
	expect((await place.config())?.is_active).toBe(true);

	await original.deactivate();
	expect((await place.config())?.is_active).toBe(false);
});
