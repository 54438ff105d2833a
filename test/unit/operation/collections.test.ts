import { setTimeout } from 'node:timers/promises';

import { send } from '../../../nodes/MessagingChannel/actions/message/send';
import { collectionsOf } from '../../../nodes/MessagingChannel/operation/collections';
import { collectGarbage } from '../usedBytes';

test('what is read of an item with a mistake is not kept', async () => {
	const read = () => {
		const operation = { ...send };
		collectionsOf(operation);
		return new WeakRef(operation);
	};
	const operation = read();
	await setTimeout();
	collectGarbage();
	expect(operation.deref()).toBeUndefined();
	expect(collectionsOf(send)).toBe(collectionsOf(send));
});
