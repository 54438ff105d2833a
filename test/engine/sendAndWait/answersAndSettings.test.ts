import { useAskingInChat } from '../../support/engine/askingInChat';
import { SETTINGS } from '../../support/engine/nodeSettings';

const { ask, written, answering } = useAskingInChat();

test.each(Object.entries(SETTINGS))(
	'with the setting %s, an answer that a question has taken starts nothing',
	async (_, node) => {
		const question = await ask();
		const item = await written('Approve');
		const trigger = answering(node);

		const first = await trigger.runWorkflow([item], 'webhook');
		const again = await trigger.runWorkflow([item], 'retry');

		const behind = [first.next, first.onError, again.next, again.onError];
		expect(behind.flatMap((items) => items ?? [])).toEqual([]);
		expect([first.error, question.accepted.length]).toEqual([undefined, 1]);
	},
);
