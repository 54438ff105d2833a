import type { Client } from '../../api/client';
import { InvalidInput } from '../../operation/input';
import { readRegisteredWebhook } from '../../webhook/registeredWebhook';
import { subscribersIn } from '../../webhook/sharedUrl';

/** Resolves to the answer tag of a trigger that polls; undefined if it takes no answers. */
type AnswerTagReader = () => Promise<string | undefined>;

/** The triggers of this process that poll. */
const pollingReceivers = new Set<AnswerTagReader>();

/**
 * Notes that a trigger that polls may take answers. It registers no URL that could say so.
 *
 * @param tagOf called for each question, because the API key can change
 * @returns what ends it
 */
export function notePollingReceiver(tagOf: AnswerTagReader): () => void {
	pollingReceivers.add(tagOf);
	return () => void pollingReceivers.delete(tagOf);
}

/**
 * Checks that a trigger of this n8n hands replies to the questions of a credential (API spec, "Webhooks").
 *
 * @param tag the answer tag of the credential
 * @param waitingUrl where executions of this n8n wait
 * @throws InvalidInput if there is none; ApiError if the webhook cannot be read
 */
export async function requireAnswerReceiver(client: Client, tag: string, waitingUrl: string): Promise<void> {
	const pollingTags = [...pollingReceivers].map(async (tagOf) => await tagOf().catch(() => undefined));
	if ((await Promise.all(pollingTags)).includes(tag)) return;
	const webhook = await readRegisteredWebhook(client);
	// The tag itself shows who made it, so the list's signature is not needed.
	const subscribers = (webhook && subscribersIn(webhook.url, '')?.subscribers) ?? [];
	const receivers = subscribers.filter(
		({ url, answerTag }) => answerTag !== undefined && new URL(url).origin === new URL(waitingUrl).origin,
	);
	if (receivers.some(({ answerTag }) => answerTag === tag)) return;
	if (receivers.length > 0) {
		throw new InvalidInput(
			'cannot be used, because the published workflow that takes answers has another API key',
			"Select the same credential here and in the Messaging Channel Trigger with the option 'Take Answers', or copy its API key into this credential. If you have just changed the API key, run again in five minutes.",
			'Answer in Chat',
			'not_answerable',
		);
	}
	throw new InvalidInput(
		'cannot be used, because no published workflow takes answers for this account',
		"Turn on the option 'Take Answers' of a Messaging Channel Trigger in this n8n whose 'Events' include 'Message Received', and publish its workflow. In n8n's queue mode, its 'Listen By' must be 'Webhook'.",
		'Answer in Chat',
		'not_answerable',
	);
}
