import { INFERRED_NOTICE } from '../../nodes/MessagingChannel/operation/inferred';
import { manualTrigger, messagingChannel, workflow } from '../support/n8n/workflow';
import { operations } from '../support/operations';
import { byTestId, openNode, openWorkflow, panelOf, parametersOf, untilFieldsAreLoaded } from './editor';
import { screenshot } from './pictures';
import { until } from './until';
import { startEditorWorld, type EditorWorld } from './world';

/** As much of an element as tells what it shows, and whether its text is cut off. */
interface Box {
	scrollWidth: number;
	clientWidth: number;
	innerText: string;
	value: string;
	placeholder: string;
}

let world: EditorWorld;

beforeAll(async () => {
	// High enough for the longest panel, so that all of it is on the screenshot.
	world = await startEditorWorld({ height: 1_600 });
});

afterAll(async () => await world?.stop());

/** What code leaves over where words should be. */
const leftover = /undefined|\[object|NaN|\bnull\b/;

const NAME = 'Messaging Channel';

// Which fields an operation has is a unit test. Here is what n8n makes of them, where there are most kinds.
test.each([
	['message', 'send', 2],
	['media', 'send', 1],
	['contact', 'update', 1],
	['template', 'create', 2],
	['broadcast', 'create', 2],
])(
	'the panel of %s: %s is whole, in words, and marks what is missing',
	async (resource, operation, missing) => {
		const { page, n8n, credential } = world;
		const cases = operations.find((one) => one.resource === resource && one.operation === operation);
		const { options, additionalFields, updateFields } = cases?.full?.parameters ?? {};
		const node = messagingChannel(
			NAME,
			{ resource, operation, options, additionalFields, updateFields },
			credential,
		);
		const { id } = await n8n.api.createWorkflow(workflow('One operation', [manualTrigger(), node]));
		await openWorkflow(page, id);
		await openNode(page, NAME);
		const panel = parametersOf(page);
		await byTestId(panel, 'parameter-input-operation').waitFor();
		await untilFieldsAreLoaded(page);
		await screenshot(panelOf(page), `panel-${resource}-${operation}`);

		if (resource === 'broadcast') await panel.getByText(INFERRED_NOTICE.body).waitFor();
		const issues = byTestId(panel, 'parameter-issues');
		await until(`${missing} fields are marked`, async () => (await issues.count()) === missing);
		const boxes = await panel
			.locator(':is(input, textarea, label, [class*="notice"], [class*="hint"]):visible')
			.evaluateAll((elements: Box[]) =>
				elements.map(({ scrollWidth, clientWidth, innerText, value, placeholder }) => ({
					text: [innerText, value, placeholder].filter((text) => text !== undefined).join(' '),
					isCut: innerText !== '' && scrollWidth > clientWidth + 1,
				})),
			);
		expect(boxes.length).toBeGreaterThan(10);
		expect(boxes.filter(({ text, isCut }) => isCut || leftover.test(text))).toEqual([]);
	},
);
