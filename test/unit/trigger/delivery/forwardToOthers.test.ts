import type { IWebhookFunctions } from 'n8n-workflow';

import { forwardToOthers } from '../../../../nodes/MessagingChannel/trigger/delivery/forwardToOthers';
import { registrationOf } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Subscriber } from '../../../../nodes/MessagingChannel/webhook/subscribers';
import { OWN_URL, triggerOf, workflow, type Answer } from '../activation/triggerOf';
import { BODY, delivery, SECRET } from '../deliveries';

let services = 0;

/** A hub that gets a delivery which names these others, and whom it called. */
async function forwarding(others: Subscriber[], answer: (url: string) => Answer) {
	const { context, asked, log } = triggerOf({
		baseUrl: `https://hubs-${++services}.example.com`,
		secret: SECRET,
		answer,
	});
	const { url } = registrationOf([workflow(OWN_URL), ...others], SECRET);
	const query = Object.fromEntries(new URL(url).searchParams);
	const hub = { ...context, getMode: () => 'webhook', getQueryData: () => query };
	const event = { id: 'event-1', type: 'message.received', body: {}, keys: [] };
	const { headers } = delivery();
	const isDone = await forwardToOthers(
		hub as unknown as IWebhookFunctions,
		{ headers, rawBody: Buffer.from(BODY), event, secret: SECRET },
		{ log: { note: (line: string) => void log.push(line), isEmpty: () => true } },
	);
	// A test holds up nobody, so its response comes later.
	await new Promise(setImmediate);
	return { isDone, calls: asked.map((each) => each.split(' ')[1]), log };
}

test('a test that has ended is called no more, and another one with its URL is', async () => {
	const inTenMinutes = Math.floor(Date.now() / 1000) + 600;
	const listening: Subscriber = {
		...workflow('https://n8n.example.com/webhook-test/ended/webhook'),
		kind: 'test',
		expiresAt: inTenMinutes,
	};
	const calls = async (test: Subscriber) => (await forwarding([test], () => ({ status: 404 }))).calls;

	expect(await calls(listening)).toEqual([listening.url]);
	expect(await calls(listening)).toEqual([]);
	const again = { ...listening, expiresAt: inTenMinutes + 1 };
	expect(await calls(again)).toEqual([listening.url]);
	const another = { ...listening, url: 'https://n8n.example.com/webhook-test/another/webhook' };
	expect(await calls(another)).toEqual([another.url]);
});
