import type { Control } from '../support/service/core/control';
import type { RawDelivery } from '../support/service/core/controlServer';
import { poll } from '../support/poll';
import type { Subject } from './subject';

const EVENTS = 8;
const BATCH = 40;
const FILE_BYTES = 64 * 1024;
const TIMEOUT_MS = 120_000;

/** What one round asks of an n8n. */
export const WORK = { events: EVENTS, sends: EVENTS + BATCH, executions: EVENTS + 1 };

/** Lets messages with files arrive, which n8n fetches and answers, has it send a batch, and waits until all is done. */
export async function playRound(subject: Subject, number: number): Promise<void> {
	const { control } = subject.service;
	await control.clearRequests();
	const items = Array.from({ length: BATCH }, (_, index) => ({
		to: phone(index),
		message: `Round ${number}, message ${index}`,
	}));
	if (subject.isRobust) await spoil(control, items);
	const [eventIds] = await Promise.all([receive(control, number), post(subject.batchUrl, { items })]);
	await untilSent(subject);
	if (subject.isRobust) await annoy(control, eventIds);
}

const phone = (number: number) => `9055511${String(number).padStart(5, '0')}`;

async function receive(control: Control, round: number): Promise<string[]> {
	const received = Array.from({ length: EVENTS }, async (_, index) => {
		const { eventId } = await control.incomingMessage({
			from: phone(index),
			body: `Question ${round}`,
			media: { mimetype: 'image/jpeg', bytes: FILE_BYTES },
		});
		return eventId;
	});
	return await Promise.all(received);
}

async function post(url: string, body: object): Promise<void> {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
		signal: AbortSignal.timeout(TIMEOUT_MS),
	});
	const answer = await response.text();
	if (!response.ok) throw new Error(`The batch was answered ${response.status}: ${answer}`);
}

/** One send is refused for a moment, one is taken but its answer is lost, and one download fails. */
async function spoil(control: Control, [refused, lost]: Array<{ message: string }>): Promise<void> {
	const send = { operationId: 'message.send', times: 1 };
	const headers = { 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000)) };
	await control.addFault({
		...send,
		kind: 'status',
		status: 429,
		headers,
		bodyHas: { message: refused?.message },
	});
	await control.addFault({ ...send, kind: 'reset', when: 'after', bodyHas: { message: lost?.message } });
	await control.addFault({
		kind: 'status',
		status: 500,
		operationId: 'media.downloadFromMessage',
		times: 1,
	});
}

/** An event comes again, and somebody else's comes once. */
async function annoy(control: Control, [eventId]: string[]): Promise<void> {
	const [delivery] = await control.deliveries({ eventId });
	if (!delivery) throw new Error('The service does not know its own event');
	const { body } = delivery;
	const statuses = [
		await deliver(control, { body, eventId }),
		await deliver(control, { body, signature: 'wrong' }),
	];
	if (statuses.join() !== '200,401') throw new Error(`They were answered ${statuses.join()}`);
}

/** The status of the answer. */
async function deliver(control: Control, delivery: RawDelivery): Promise<number | null> {
	const [attempt] = await control.deliver(delivery);
	return attempt?.status ?? null;
}

/** Every event ends with a send, after its download. */
async function untilSent({ name, service, n8n }: Subject): Promise<void> {
	const taken = { operationId: 'message.send', accepted: true };
	await poll(async () => (await service.control.requests(taken)).length >= WORK.sends, {
		timeoutMs: TIMEOUT_MS,
		failure: () => `${name} did not send all:\n${n8n.logs().slice(-5_000)}`,
	});
}
