import { normalUrl } from '../../webhook/url';
import { SUBSCRIBERS_PARAMETER, withoutQuery } from '../../webhook/sharedUrl';

/** The hubs that share a webhook, as far as this process knows. */
const sharedHubs = new Set<string>();

/** Records the URL of an account's webhook. */
export function noteWebhookUrl(url: string): void {
	const hubUrl = normalUrl(withoutQuery(url));
	if (url.includes(`?${SUBSCRIBERS_PARAMETER}=`)) sharedHubs.add(hubUrl);
	else sharedHubs.delete(hubUrl);
}

/** Whether a delivery to this URL must have a list of subscribers. */
export function isSharedHub(url: string): boolean {
	return sharedHubs.has(normalUrl(url));
}
