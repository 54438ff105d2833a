import type { INodeParameters } from 'n8n-workflow';

import { resources } from '../../nodes/MessagingChannel/actions';
import { useEngine } from '../support/engine/engine';

const engine = useEngine();

/** The operations with fields to update, and the names of these fields. */
const updates = resources.flatMap((resource) =>
	resource.operations
		.filter(({ updateFields }) => updateFields)
		.map(({ value, updateFields = [] }) => [`${resource.value}:${value}`, updateFields] as const),
);

const record: INodeParameters = {
	phone: { __rl: true, mode: 'phone', value: '905551234567' },
	templateId: { __rl: true, mode: 'id', value: 'template-1' },
	scheduledMessageId: 'scheduled-1',
	autoReplyId: 'rule-1',
};

const NOTHING = "'Update Fields' has no value in any of its fields";

/** What each says to fields without a value; of a scheduled message, each field needs one. */
const refusals: Record<string, string> = {
	'autoReply:update': NOTHING,
	'contact:update': NOTHING,
	'scheduledMessage:update': "'Message' is empty",
	'template:update': NOTHING,
};

test('every operation with fields to update is looked at', () => {
	expect(updates.map(([name]) => name).sort()).toEqual(Object.keys(refusals));
});

describe.each(updates)('%s with expressions in all its fields', (operation, updateFields) => {
	test.each(['={{ $json.missing }}', '={{ $json.empty }}'])(
		'is refused before anything is sent when each is %s and gives nothing',
		async (value) => {
			const fields = Object.fromEntries(updateFields.map(({ name }) => [name, value]));

			const { error } = await engine.run({
				operation,
				items: [{ empty: null }],
				parameters: { ...record, updateFields: fields },
			});

			expect(error).toMatchObject({ message: refusals[operation], context: { itemIndex: 0 } });
			expect(await engine.requests()).toEqual([]);
		},
	);
});
