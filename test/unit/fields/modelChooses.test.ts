import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { resources } from '../../../nodes/MessagingChannel/actions';
import { MessagingChannel } from '../../../nodes/MessagingChannel/MessagingChannel.node';
import { MessagingChannelTrigger } from '../../../nodes/MessagingChannel/MessagingChannelTrigger.node';

const { description } = new MessagingChannel();

const operations = resources.flatMap((resource) =>
	resource.operations
		.filter(({ options = [] }) => options.some(({ name }) => name === 'allowedRecipients'))
		.map((operation) => [resource.value, operation.value] as const),
);

/** Wherever an operation has its recipient. */
const sendingTo = (value: string) => {
	const to = { __rl: true, mode: 'phone', value };
	return { to, updateFields: { to } };
};

test.each(operations)(
	'the panel of %s: %s says where a model may write to anybody',
	(resource, operation) => {
		const isSaid = (parameters: INodeParameters, kind = 'Tool') =>
			description.properties.some(
				(property) =>
					property.name === 'modelChooses' &&
					NodeHelpers.displayParameter({ resource, operation, ...parameters }, property, null, {
						...description,
						name: description.name + kind,
					}),
			);
		const byModel = sendingTo("={{ $fromAI('to') }}");

		// n8n offers the node twice to agents: as a tool, and to ask before another tool runs.
		expect(['', 'Tool', 'HitlTool'].map((kind) => isSaid(byModel, kind))).toEqual([false, true, true]);
		expect(isSaid({ ...byModel, options: { allowedRecipients: '905551112233' } })).toBe(false);
		// The editor resolves the text with the recipients of a broadcast before it compares.
		for (const fixed of ['905551112233', '+90 555 111 22 33', ' 905551112233', 'Ada', 'über@g.us'])
			expect(isSaid(sendingTo(fixed))).toBe(resource === 'broadcast');
		for (const open of ['', '=']) expect(isSaid(sendingTo(open))).toBe(true);
	},
);

test('no panel is drawn by regular expressions, which n8n gives up on a busy machine', () => {
	const shown = JSON.stringify([description, new MessagingChannelTrigger().description]);
	expect(shown).not.toContain('"_cnd":{"regex"');
});
