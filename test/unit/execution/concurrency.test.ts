import type { ApiRequest, Endpoint, FilePart } from '../../../nodes/MessagingChannel/api/apiRequest';
import { concurrencyOf } from '../../../nodes/MessagingChannel/execution/runOperation';
import type { Task } from '../../../nodes/MessagingChannel/execution/task';

const file = { filename: 'cat.png' } as FilePart;
const reads = { method: 'GET' } as Endpoint;

/** A task that sends, with only the parts that count here. */
const task = (safeConcurrency: number, request: Partial<ApiRequest> = {}, maxConcurrency?: number): Task =>
	({
		account: { safeConcurrency: () => safeConcurrency },
		request: { endpoint: { sends: 'other' }, ...request },
		options: { maxConcurrency },
	}) as Task;

/** More tasks than can be in flight by default. */
const many = (task: Task) => Array.from({ length: 26 }, () => task);

test.each<[string, number, Task[]]>([
	['messages follow the rate limit', 60, many(task(60))],
	['messages go no further than 100', 100, many(task(500))],
	['messages without room keep the default', 25, many(task(-3))],
	['messages of several accounts follow the lowest limit', 40, [...many(task(60)), task(40)]],
	['few messages need no more than the default', 25, [task(60)]],
	['a file among the messages keeps the default', 25, [...many(task(60)), task(60, { file })]],
	[
		'so does a file in Base64',
		25,
		[...many(task(60)), task(60, { parameters: { to: '905551234567', mediaData: 'aGVsbG8=' } })],
	],
	[
		'messages that wait until they are sent go one at a time',
		1,
		many(task(60, { parameters: { sync: true } })),
	],
	['messages of which few wait do not', 60, [...many(task(60)), task(60, { parameters: { sync: true } })]],
	['unless the option says otherwise', 3, [task(60, { parameters: { sync: true } }, 3)]],
	['other requests keep the default', 25, many(task(60, { endpoint: reads }))],
	['the option of the first item decides', 3, [task(60, {}, 3), ...many(task(60))]],
])('%s', (_, expected, tasks) => {
	expect(concurrencyOf(tasks)()).toBe(expected);
});

test('the rate limit is asked again each time', () => {
	let room = 30;
	const sends = { ...task(0), account: { safeConcurrency: () => room } } as Task;
	const concurrency = concurrencyOf(many(sends));
	expect(concurrency()).toBe(30);
	room = 50;
	expect(concurrency()).toBe(50);
});
