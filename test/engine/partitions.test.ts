// cspell:ignore forbiddenword
import type { IN8nHttpFullResponse } from 'n8n-workflow';

import { eventually } from '../support/poll';
import { byRecipient, person, toEach, useEngine } from '../support/engine/engine';
import type { Run, RunOptions, Watch } from '../support/engine/run';
import { byPhone } from '../support/operations/parameters';

const engine = useEngine();

/** Each answer lets one request more be in flight, from ten on. */
const ANSWERS_BEFORE = 90;

/** Counts the requests of a run that are under way together, at the most. */
function watchTogether(): Watch & { readonly most: number } {
	let together = 0;
	let most = 0;
	return {
		get most() {
			return most;
		},
		sending: () => void (most = Math.max(most, ++together)),
		answered: () => void together--,
	};
}

/**
 * Runs the node while the service holds its answers back until `most` requests of an operation are under way. Fewer never
 * get so far, and more are seen as they leave.
 */
async function expectTogether(operationId: string, most: number, options: RunOptions): Promise<Run> {
	// Until answers have told of the rate window, few go.
	await engine.run({ operation: 'account:get', items: toEach(ANSWERS_BEFORE) });
	await engine.service.control.clearRequests();
	const watch = watchTogether();
	await engine.service.control.addFault({ kind: 'hold', until: most, operationId });

	const run = await engine.run({ ...options, watch });

	expect(run.error).toBeUndefined();
	expect(watch.most).toBe(most);
	expect(Math.max(...(await engine.requests(operationId)).map(({ inFlight }) => inFlight))).toBe(most);
	return run;
}

test('messages to one recipient are sent one at a time in order, those to others concurrently', async () => {
	const items = Array.from({ length: 40 }, (_, number) => ({
		to: person(number % 4),
		message: `Message ${number}`,
	}));

	const { output } = await expectTogether('message.send', 4, { items });

	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	const texts = byRecipient(await engine.service.control.accepted());
	for (let recipient = 0; recipient < 4; recipient++) {
		const own = items.filter(({ to }) => to === person(recipient)).map(({ message }) => message);
		expect(texts[`${person(recipient)}@c.us`]).toEqual(own);
	}
});

test('a recipient whose number has no country code may be the one of another item, and waits for it', async () => {
	const watch = watchTogether();
	const notations = [person(1).replace(/^90/, '0'), `+${person(1)}`, `${person(1)}@c.us`];

	await engine.run({ items: notations.map((to, number) => ({ to, message: `${number}` })), watch });

	expect(watch.most).toBe(1);
	expect(await engine.accepted()).toEqual(['0', '1', '2']);
});

test('messages that wait until they are sent go one at a time, and their chats are read side by side', async () => {
	const { output } = await expectTogether('chat.getMessages', 3, {
		items: toEach(3),
		options: { sync: true, findMessageId: true },
		transport: async ({ url }, send) => {
			const response = await send();
			// The API does not say that it names the message.
			return url.endsWith('/messages/send')
				? { ...response, body: { success: true, queued: false } }
				: response;
		},
	});

	expect(output.map(({ json }) => json.message_id)).not.toContain(undefined);
	expect((await engine.requests('message.send')).map(({ inFlight }) => inFlight)).toEqual([1, 1, 1]);
});

test.each([1, 5])('at most %d requests are in flight when Max Concurrency says so', async (most) => {
	const items = toEach(60);
	const phone = byPhone('={{ $json.to }}');

	const { output } = await expectTogether('contact.check', most, {
		operation: 'contact:check',
		items,
		parameters: { phone },
		options: { maxConcurrency: most },
	});

	expect(output.map(({ json }) => json.phone)).toEqual(items.map(({ to }) => to));
});

test('without Max Concurrency, one message for eight requests that are left is in flight', async () => {
	const limit = ANSWERS_BEFORE + 8 * 40;
	await engine.service.control.configure({ rateLimit: { limit, windowSeconds: 60 } });
	await expectTogether('message.send', 40, { items: toEach(120) });
});

test('when an item fails, those in flight finish and are logged, so that the next try does not repeat them', async () => {
	const { control } = engine.service;
	await control.addFault({ kind: 'hold', operationId: 'message.send', when: 'after' });
	const watch = {
		answered: ({ statusCode }: IN8nHttpFullResponse) => {
			if (statusCode === 400) void letGo();
		},
	};
	const letGo = async () => {
		await eventually(engine.accepted, ({ length }) => length === 4);
		await control.clearFaults();
	};
	const many = [{ to: person(0), message: 'a forbiddenword' }, ...toEach(30).slice(1)];

	const first = await engine.run({ items: many, options: { maxConcurrency: 5 }, watch });

	expect(first.error?.context.itemIndex).toBe(0);
	expect(await engine.accepted()).toHaveLength(4);

	const fixed = [{ to: person(0), message: 'fine' }, ...many.slice(1)];
	const second = await engine.run({ items: fixed, execution: first.execution });

	expect(second.error).toBeUndefined();
	expect(second.output.map(({ json }) => json.already_sent === true)).toEqual(
		many.map((_, item) => item >= 1 && item <= 4),
	);
	expect(await engine.accepted()).toHaveLength(30);
});
