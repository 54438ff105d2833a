import { createServer, type Socket } from 'node:net';
import type { IDataObject } from 'n8n-workflow';

import { close, listen } from '../../support/localServer';
import { eventually } from '../../support/poll';
import { useBinaryStore } from '../../support/engine/binaryStore';
import { CONTINUES, person, toEach, useEngine } from '../../support/engine/engine';
import type { Run, RunOptions } from '../../support/engine/run';
import type { Fault } from '../../support/service/core/faults';

// A stop by a person, a time limit and a shutdown all reach a node as the same signal, without a reason.
const engine = useEngine();
const store = useBinaryStore();

const STOPPED = 'The execution was stopped or reached its time limit';

const NOT_BEGUN = { code: 'execution_stopped', error: STOPPED };
const NOT_SENT = { ...NOT_BEGUN, outcome: 'not_sent' };
const UNCERTAIN = {
	code: 'network_error',
	outcome: 'uncertain',
	ambiguous: true,
	description: expect.stringContaining(STOPPED) as string,
};
/** What sends no message, and may have been done. */
const MAY_BE_DONE = {
	code: 'network_error',
	error: STOPPED,
	description: expect.stringContaining('may still have processed the request') as string,
};

interface Row {
	run: RunOptions;
	/** What holds the run up; n8n ends it there. */
	faults: Fault[];
	/** How many requests are held up. */
	held?: number;
	items: object[];
	/** All requests, by their operations. */
	requests: string[];
}

const to = { __rl: true, mode: 'phone', value: person(1) };
const onePerson: Partial<RunOptions> = { items: [{}], parameters: { to } };
const hold = (operationId: string, more: Partial<Fault> = {}): Fault =>
	({ kind: 'hold', when: 'after', operationId, ...more }) as Fault;
const times = (count: number, operationId: string) => Array.from({ length: count }, () => operationId);

const rows: Record<string, Row> = {
	'messages in flight, and others behind them': {
		run: { items: toEach(5), options: { maxConcurrency: 2 } },
		faults: [hold('message.send')],
		held: 2,
		items: [UNCERTAIN, UNCERTAIN, NOT_SENT, NOT_SENT, NOT_SENT],
		requests: times(2, 'message.send'),
	},
	'a long text in parts': {
		run: { items: [{ to: person(1), message: 'Hello big World' }], options: { splitLongText: 10 } },
		faults: [hold('message.send', { skip: 1 })],
		items: [
			{ ...UNCERTAIN, description: expect.stringMatching(/^1 of 2 parts of the text were sent, part 2 may/) },
		],
		requests: times(2, 'message.send'),
	},
	'a message with a request ID': {
		run: { items: toEach(1), options: { requestId: 'order-1' } },
		faults: [hold('message.send')],
		items: [UNCERTAIN],
		requests: ['message.send'],
	},
	'the look at the account for the country of a number, at its last attempt': {
		run: { items: [{ to: '5551234567', message: 'Hello' }] },
		faults: [
			{ kind: 'status', status: 500, times: 3, operationId: 'account.get' },
			hold('account.get', { when: 'before', skip: 3 }),
		],
		items: [NOT_SENT],
		requests: times(4, 'account.get'),
	},
	'the look for who must not get the message': {
		run: { items: toEach(2), options: { skipTags: 'unsubscribed', maxAttempts: 1 } },
		faults: [hold('contact.getAll')],
		items: [NOT_SENT, NOT_SENT],
		requests: ['contact.getAll'],
	},
	'a file that is sent': {
		run: {
			...onePerson,
			operation: 'media:sendImage',
			binary: { data: { data: 'aGVsbG8=', mimeType: 'image/jpeg' } },
		} as RunOptions,
		faults: [hold('media.sendImage')],
		items: [UNCERTAIN],
		requests: ['media.sendImage'],
	},
	'a broadcast': {
		run: {
			operation: 'broadcast:create',
			items: [{}],
			parameters: { name: 'Sale', recipients: [person(1), person(2)].join(), message: 'Hello' },
		},
		faults: [hold('broadcast.create')],
		items: [UNCERTAIN],
		requests: ['broadcast.create'],
	},
	'the look for who takes the answer to a question': {
		run: {
			...onePerson,
			operation: 'message:sendAndWait',
			parameters: { to, message: 'Ship it?' },
			options: { answerInChat: true, maxAttempts: 1 },
		} as RunOptions,
		faults: [hold('webhook.get', { when: 'before' })],
		items: [NOT_SENT],
		requests: ['webhook.get'],
	},
	'a question': {
		run: {
			...onePerson,
			operation: 'message:sendAndWait',
			parameters: { to, message: 'Ship it?' },
		} as RunOptions,
		faults: [hold('message.send')],
		items: [UNCERTAIN],
		requests: ['message.send'],
	},
	'a file that comes': {
		run: {
			operation: 'media:downloadFile',
			items: [{}],
			parameters: { filename: '1-photo.jpg' },
			options: { maxAttempts: 1 },
		},
		faults: [{ kind: 'stall', operationId: 'media.downloadFile' }],
		items: [NOT_BEGUN],
		requests: ['media.downloadFile'],
	},
	'the second page of a list': {
		run: { operation: 'contact:getAll', items: [{}], parameters: { returnAll: true } },
		faults: [hold('contact.getAll', { skip: 1 })],
		items: [NOT_BEGUN],
		requests: times(2, 'contact.getAll'),
	},
	'a change': {
		run: {
			operation: 'contact:update',
			items: [{}],
			parameters: { phone: to, updateFields: { name: 'Ada' } },
		},
		faults: [hold('contact.update')],
		items: [MAY_BE_DONE],
		requests: ['contact.update'],
	},
	'a deletion': {
		run: { operation: 'contact:delete', items: [{}], parameters: { phone: to } },
		faults: [hold('contact.delete')],
		items: [MAY_BE_DONE],
		requests: ['contact.delete'],
	},
	'what is created': {
		run: {
			operation: 'tag:create',
			items: [{}, {}],
			parameters: { name: 'new' },
			options: { maxConcurrency: 1 },
		},
		faults: [hold('tag.create')],
		items: [MAY_BE_DONE, NOT_BEGUN],
		requests: ['tag.create'],
	},
	'the pause after a change that the service may have made': {
		run: {
			operation: 'contact:update',
			items: [{}],
			parameters: { phone: to, updateFields: { name: 'Ada' } },
		},
		faults: [{ kind: 'status', status: 500, operationId: 'contact.update' }],
		items: [{ code: 'internal_error' }],
		requests: ['contact.update'],
	},
};

const begin = async (faults: Fault[]) => {
	await engine.service.control.seed({
		contacts: Array.from({ length: 60 }, (_, number) => ({ phone: person(number) })),
		messages: [
			{
				chatId: `${person(1)}@c.us`,
				body: '',
				media: { mimetype: 'image/jpeg', filename: 'photo.jpg', base64: 'aGVsbG8='.repeat(999) },
			},
		],
	});
	for (const fault of faults) await engine.service.control.addFault(fault);
};

/** Runs the node, and ends the execution as soon as so many requests are held up, or the last fault has answered. */
const endedRun = async ({ run, faults, held = 1 }: Row, node: RunOptions['node']): Promise<Run> => {
	await begin(faults);
	const execution = new AbortController();
	const last = faults.at(-1)?.kind;
	const watch = last === 'status' ? { answered: () => execution.abort() } : {};
	const running = engine.run({
		...run,
		node: { ...run.node, ...node },
		cancelled: execution.signal,
		watch,
	});
	let isOver = false;
	const end = () => (isOver = true);
	running.then(end, end);
	const isHeld = ({ fault }: { fault?: string }) => fault === last;
	await eventually(engine.requests, (all) => isOver || all.filter(isHeld).length === held);
	execution.abort();
	return await running;
};

describe.each(Object.entries(rows))('n8n ends the execution during: %s', (_, row) => {
	test('an item says what is known of it, and nothing more is sent', async () => {
		const { output, execution } = await endedRun(row, CONTINUES);

		expect(output.map(({ json }) => json)).toEqual(
			row.items.map((item) => expect.objectContaining(item) as IDataObject),
		);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(row.items.map((__, item) => ({ item })));
		expect((await engine.requests()).map(({ operationId }) => operationId)).toEqual(row.requests);
		expect(execution.waitTill).toBeUndefined();
	});

	test.each(['messagingChannel', 'messagingChannelTool'])(
		'%s fails, and says that n8n ended it',
		async (type) => {
			const { error, output, execution } = await endedRun(row, {
				type: `n8n-nodes-messaging-channel.${type}`,
			});

			expect([error?.message, output]).toEqual([STOPPED, []]);
			expect((await engine.requests()).map(({ operationId }) => operationId)).toEqual(row.requests);
			expect(execution.waitTill).toBeUndefined();
		},
	);
});

test('n8n ends the execution in the middle of an upload, which is uncertain, and the file is closed', async () => {
	const file = await store.keep(Buffer.alloc(4 * 1024 * 1024));
	const execution = new AbortController();
	const sockets: Socket[] = [];
	const server = createServer((socket) => {
		sockets.push(socket);
		socket.on('error', () => {});
		socket.once('data', () => {
			socket.pause();
			execution.abort();
		});
	});
	const baseUrl = await listen(server);

	const { output } = await engine.run({
		...onePerson,
		operation: 'media:sendImage',
		items: [{}, {}],
		binary: { data: file },
		options: { maxConcurrency: 1 },
		credential: { baseUrl, apiKey: 'key' },
		node: CONTINUES,
		cancelled: execution.signal,
	});
	for (const socket of sockets) socket.destroy();
	await close(server);

	expect(output.map(({ json }) => json)).toEqual([
		expect.objectContaining(UNCERTAIN),
		expect.objectContaining(NOT_SENT),
	]);
	expect(store.opened.splice(0)).toEqual([expect.objectContaining({ destroyed: true })]);
});
