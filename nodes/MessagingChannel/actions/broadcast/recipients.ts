import uniqBy from 'lodash/uniqBy';

/** Who gets a broadcast, each once. A chat with one person has that person's number before the channel's suffix. */
export function distinctRecipients(recipients: string[]): string[] {
	return uniqBy(recipients, (recipient) =>
		recipient.endsWith('@g.us') ? recipient : recipient.split('@')[0],
	);
}
