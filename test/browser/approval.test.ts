import { manualTrigger, messagingChannel, workflow } from '../support/n8n/workflow';
import { byPhone } from '../support/operations/parameters';
import { execute, openNode, openWorkflow, outputOf } from './editor';
import { picture } from './pictures';
import { startEditorWorld, type EditorWorld } from './world';

const OWNER = '905554445566';
const NODE = 'Ask the owner';

let world: EditorWorld;

beforeAll(async () => {
	world = await startEditorWorld({ height: 700 });
	await world.service.control.reset();
	await world.service.control.seed({ chats: [{ id: `${OWNER}@c.us`, name: 'Grace Hopper' }] });
});

afterAll(async () => await world?.stop());

test('a question arrives on the phone, its link opens a page, and the button continues the workflow', async () => {
	const { page, n8n, credential, service } = world;
	const ask = messagingChannel(
		NODE,
		{
			resource: 'message',
			operation: 'sendAndWait',
			to: byPhone(OWNER),
			message: 'Ada Lovelace wants a refund of 250 for order 4711. Pay it?',
			approvalOptions: { values: { approvalType: 'double' } },
		},
		credential,
	);
	const { id } = await n8n.api.createWorkflow(workflow('Refund', [manualTrigger(), ask]));
	await openWorkflow(page, id);
	await openNode(page, NODE);
	await execute(page);

	const phone = await page.context().newPage();
	await phone.setViewportSize({ width: 1100, height: 700 });
	await phone.goto(`${service.origin}/phone`);
	await phone.getByRole('button', { name: 'Grace Hopper' }).click();
	const links = phone.getByRole('list', { name: 'Grace Hopper' }).getByRole('link');
	await links.first().waitFor();
	// As high as the message, which has two long links.
	await phone.addStyleTag({ content: '#messages { height: auto !important }' });
	await picture(phone.locator('#messages'), 'approval-message');

	const opened = phone.context().waitForEvent('page');
	await links.first().click();
	const answer = await opened;
	await answer.setViewportSize({ width: 420, height: 420 });
	await answer.getByText('Pay it?').waitFor();
	// The style of the page is the one that its headers allow.
	const radius = 'getComputedStyle(document.querySelector("main")).borderRadius';
	expect(await answer.evaluate(radius)).not.toBe('0px');
	await picture(answer, 'approval-page');
	await answer.getByRole('button', { name: 'Approve' }).click();
	await answer.getByText('You answered: Approve').waitFor();
	await outputOf(page).getByText('approved').first().waitFor();
});
