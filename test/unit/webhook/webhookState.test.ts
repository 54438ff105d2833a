import type { Client } from '../../../nodes/MessagingChannel/api/client';
import { registrationOf } from '../../../nodes/MessagingChannel/webhook/sharedUrl';
import type { Subscriber } from '../../../nodes/MessagingChannel/webhook/subscribers';
import { readWebhookState } from '../../../nodes/MessagingChannel/webhook/webhookState';

const NOW = Date.UTC(2030, 0, 31, 9);

const workflow = (number: number): Subscriber => ({
	url: `https://n8n.example.com/webhook/${number}/webhook`,
	kind: 'workflow',
	events: ['message.received'],
	timeoutSeconds: 30,
});

/** The state of a service with this URL as its webhook. */
const stateWith = async (url: string | undefined) => {
	const data = url === undefined ? null : { url, events: ['message.received'], timeout_seconds: 30 };
	const call = async () => await Promise.resolve({ data });
	const { subscribers, isList, isSigned } = await readWebhookState(
		{ call } as Pick<Client, 'call'> as Client,
		'secret',
		NOW,
	);
	return { kinds: subscribers.map(({ kind }) => kind), isList, isSigned };
};

const listOf = (secret: string) => registrationOf([workflow(1), workflow(2)], secret).url;

test.each([
	['no webhook', undefined, { kinds: [], isList: false, isSigned: false }],
	['that of one workflow', workflow(1).url, { kinds: ['workflow'], isList: false, isSigned: false }],
	[
		'that of another system',
		'https://crm.example.com/',
		{ kinds: ['external'], isList: false, isSigned: false },
	],
	[
		'a list that it signed',
		listOf('secret'),
		{ kinds: ['workflow', 'workflow'], isList: true, isSigned: true },
	],
	[
		'a list with another secret',
		listOf('other'),
		{ kinds: ['workflow', 'workflow'], isList: true, isSigned: false },
	],
])('a trigger finds %s', async (_, url, expected) => {
	expect(await stateWith(url)).toEqual(expected);
});
