import { createChatQueue } from '../../../../nodes/MessagingChannel/trigger/catchUp/chatQueue';
import type { FetchedMessage } from '../../../../nodes/MessagingChannel/trigger/catchUp/fetchedMessage';

const message = (name: string) => ({ chatId: name.charAt(0), messageId: name }) as FetchedMessage;

/** A queue whose runs end when the test says so. */
function newQueue(maxRuns: number) {
	const started: string[] = [];
	const ends = new Map<string, () => void>();
	const queue = createChatQueue(maxRuns, async ({ messageId }) => {
		started.push(messageId);
		await new Promise<void>((resolve) => ends.set(messageId, resolve));
	});
	const end = async (name: string) => {
		ends.get(name)?.();
		await new Promise(setImmediate);
	};
	return { queue, started, end, add: (...names: string[]) => queue.add(names.map(message)) };
}

test('the messages of a chat start one after the other, in their order', async () => {
	const { started, end, add } = newQueue(10);
	add('a1', 'a2');
	add('a3');
	expect(started).toEqual(['a1']);

	await end('a1');
	await end('a2');
	await end('a3');

	expect(started).toEqual(['a1', 'a2', 'a3']);
});

test('chats take turns, as many at a time as may run', async () => {
	const { queue, started, end, add } = newQueue(2);
	add('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
	add('d1');
	expect([started, queue.size]).toEqual([['a1', 'b1'], 5]);

	for (const name of ['a1', 'b1', 'c1', 'a2']) await end(name);

	expect([started, queue.size]).toEqual([['a1', 'b1', 'c1', 'a2', 'b2', 'd1'], 1]);
});
