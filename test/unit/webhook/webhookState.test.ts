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

const listOf = (secret: string, second = workflow(2)) => registrationOf([workflow(1), second], secret).url;
const ended: Subscriber = { ...workflow(2), kind: 'test', expiresAt: NOW / 1000 - 1 };

const checkedUrl = `${workflow(1).url}?check=1900000000000-3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6b`;

test.each<[string, string | undefined, kinds: string[], isList: boolean, isSigned: boolean]>([
	['no webhook', undefined, [], false, false],
	['that of one workflow', workflow(1).url, ['workflow'], false, false],
	['that of one workflow, whose secret is checked', checkedUrl, ['workflow'], false, false],
	['that of another system', 'https://crm.example.com/', ['external'], false, false],
	['a list that it signed', listOf('secret'), ['workflow', 'workflow'], true, true],
	['a list with a test that has ended', listOf('secret', ended), ['workflow'], true, true],
	['a list with another secret', listOf('other'), ['workflow', 'workflow'], true, false],
])('a trigger finds %s', async (_, url, kinds, isList, isSigned) => {
	expect(await stateWith(url)).toEqual({ kinds, isList, isSigned });
});
