import { doneOnce } from '../../../nodes/MessagingChannel/execution/allItems';
import type { Task } from '../../../nodes/MessagingChannel/execution/task';

test('however many items want a report, the settings of each are looked at once', () => {
	let looks = 0;
	const input = { settings: { toJSON: () => void looks++ } };
	const entries = Array.from({ length: 100 }, (_, item) => ({
		task: { input, pairedItem: { item } } as unknown as Task,
	}));
	doneOnce(entries);
	expect(looks).toBe(100);
});
