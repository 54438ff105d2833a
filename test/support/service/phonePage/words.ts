import type { DeliveryRecord } from '../core/webhookDelivery';
import type { RequestRecord } from '../core/requestLog';

/** How a line of the timeline ended: `normal` is a refusal that nobody has to look after. */
export type Tone = 'good' | 'normal' | 'bad' | 'running';

/** What happened, in words. */
export interface Words {
	words: string;
	tone: Tone;
	/** Why, or what to do. */
	note?: string;
}

/** What n8n did, by the operation that it called, where the operation's name does not say it well. */
const OPERATIONS: Record<string, string> = {
	'account.get': 'asked for the account',
	'account.getHealth': 'tested the credential',
	'chat.getAll': 'asked which chats have news',
	'chat.getMessages': 'read the messages of a chat',
	'chat.resolve': 'looked for the chat of a number',
	'contact.check': 'checked a number',
	'contact.sync': 'checked several numbers',
	'media.downloadFile': 'downloaded a file',
	'media.downloadFromMessage': 'downloaded the file of a message',
	'message.getQueue': 'asked how many messages wait',
	'message.getRateLimit': 'asked for the rate limit',
	'message.send': 'sent a text',
	'message.validate': 'checked a text',
	'broadcast.getProgress': 'asked how far a broadcast is',
	'webhook.get': 'asked where events go',
	'webhook.set': 'told the service where events go',
	'webhook.delete': 'asked for no more events',
	'webhook.test': 'asked for a test event',
	'webhook.rotateSecret': 'got a new signing secret',
};

const VERBS: Record<string, string> = {
	get: 'asked for a',
	getAll: 'asked for the',
	create: 'created a',
	update: 'changed a',
	delete: 'deleted a',
	cancel: 'cancelled a',
	send: 'sent a',
};

const inWords = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function didOf(operationId: string | null): string {
	if (operationId === null) return 'asked for something that there is not';
	const known = OPERATIONS[operationId];
	if (known) return known;
	const [resource = '', verb = ''] = operationId.split('.');
	const medium = /^send([A-Z]\w*)$/.exec(verb)?.[1];
	if (medium) return `sent a file: ${medium.toLowerCase()}`;
	const plural = verb === 'getAll' ? 's' : '';
	return `${VERBS[verb] ?? inWords(verb)} ${inWords(resource)}${plural}`.replace(/ys$/, 'ies');
}

/** A request of n8n in words. */
export function requestWords({ operationId, status, finishedAt, refusal, fault }: RequestRecord): Words {
	const words = `n8n ${didOf(operationId)}`;
	if (finishedAt === null) return { words, tone: 'running' };
	if (operationId === 'webhook.get' && status === 404)
		return { words, tone: 'normal', note: 'Normal: there was no webhook yet.' };
	if (refusal)
		return { words: `${words}, and was refused`, tone: 'bad', note: `${refusal.error}: ${refusal.message}` };
	if ((fault && fault !== 'delay') || status === null)
		return {
			words: `${words}, and got no proper answer`,
			tone: 'bad',
			note: 'A fault did this, or n8n gave up.',
		};
	return { words, tone: 'good' };
}

/** What n8n hears with an event. */
const EVENTS: Record<string, string> = {
	'message.received': 'the message',
	'message.sent': 'the news that it was sent',
	'message.delivered': 'the news that it was delivered',
	'message.read': 'the news that it was read',
	'message.status': 'the news of its status',
	'connection.connected': 'the news that the account is connected',
	'connection.disconnected': 'the news that the account is disconnected',
};

/** What the status of a refused delivery means. */
const REFUSALS: Record<number, string> = {
	401: 'The signature does not fit: the credential in n8n has another signing secret, or the fault is on.',
	404: 'No workflow listens at this address: publish it, or press Execute step.',
	503: 'n8n could not take it, and gets it again.',
};

/** An event on its way to n8n, in words. */
export function deliveryWords({ event, attempts, delivered, source }: DeliveryRecord): Words {
	const last = attempts.at(-1);
	const what = source === 'test' ? 'the test event' : (EVENTS[event] ?? event);
	if (!last) return { words: `On its way to n8n: ${what}`, tone: 'running' };
	if (delivered) return { words: `n8n took ${what}`, tone: 'good' };
	if (source === 'test' && last.status === 503)
		return {
			words: 'n8n compared the signature of a test event',
			tone: 'normal',
			note: 'Normal: while a workflow is published, n8n looks at the signature only.',
		};
	if (last.status === null)
		return {
			words: `n8n did not answer to ${what}`,
			tone: 'bad',
			note: `${last.error}: is n8n running, and does its address lead to it?`,
		};
	return { words: `n8n refused ${what}`, tone: 'bad', note: REFUSALS[last.status] };
}
