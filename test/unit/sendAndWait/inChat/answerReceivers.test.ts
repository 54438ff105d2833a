import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import {
	notePollingReceiver,
	requireAnswerReceiver,
} from '../../../../nodes/MessagingChannel/sendAndWait/inChat/answerReceivers';
import { registrationOf } from '../../../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Subscriber } from '../../../../nodes/MessagingChannel/webhook/subscribers';

const TAG = 'own tag';
const ORIGIN = 'https://n8n.example.com';

const NO_RECEIVER = {
	message: "'Answer in Chat' cannot be used, because no published workflow takes answers for this account",
	description:
		"Turn on the option 'Take Answers' of a Messaging Channel Trigger in this n8n whose 'Events' include 'Message Received', and publish its workflow. In n8n's queue mode, its 'Listen By' must be 'Webhook'.",
};
const OTHER_KEY = {
	message:
		"'Answer in Chat' cannot be used, because the published workflow that takes answers has another API key",
	description: expect.stringContaining('run again in five minutes') as string,
};

/** A workflow of the shared webhook. */
const subscriber = (name: string, answerTag?: string, origin = ORIGIN): Subscriber => ({
	url: `${origin}/webhook/${name}/webhook`,
	kind: 'workflow',
	events: ['message.received'],
	timeoutSeconds: 30,
	answerTag,
});

/** What a check finds at the service: nothing, or a webhook that these share. */
const checkWith = async (...subscribers: Subscriber[]) => {
	const [hub, ...others] = subscribers;
	const webhook = hub && { ...registrationOf([hub, ...others], 'secret'), is_active: true };
	const call = async () => await Promise.resolve({ data: webhook ?? null });
	await requireAnswerReceiver({ call } as Pick<Client, 'call'> as Client, TAG, `${ORIGIN}/webhook-waiting`);
};

test('of two triggers that poll and take answers, one is enough', async () => {
	const ends = [1, 2].map(() => notePollingReceiver(async () => await Promise.resolve(TAG)));
	ends[0]?.();
	await expect(checkWith()).resolves.toBeUndefined();
	ends[1]?.();
	await expect(checkWith()).rejects.toMatchObject(NO_RECEIVER);
});

test('a trigger that polls counts even if another cannot say what it takes', async () => {
	const ends = [
		notePollingReceiver(async () => await Promise.reject(new Error('no credential'))),
		notePollingReceiver(async () => await Promise.resolve(TAG)),
	];
	await expect(checkWith()).resolves.toBeUndefined();
	for (const end of ends) end();
});

test('one of several workflows that share the webhook is enough', async () => {
	const others = [subscriber('one'), subscriber('two', 'other tag')];
	await expect(checkWith(...others, subscriber('three', TAG))).resolves.toBeUndefined();
});

test('a workflow of another API key is named as such', async () => {
	await expect(checkWith(subscriber('one', 'other tag'))).rejects.toMatchObject(OTHER_KEY);
});

test.each<[string, Subscriber[]]>([
	['without a webhook', []],
	['that takes no answers', [subscriber('one')]],
	['without a workflow that takes answers', [subscriber('one'), subscriber('two')]],
	['of another n8n', [subscriber('one', TAG, 'https://other.example.com')]],
])('an account %s has none', async (_, subscribers) => {
	await expect(checkWith(...subscribers)).rejects.toMatchObject(NO_RECEIVER);
});
