import { normalUrl } from './url';
import { parseUrl } from '../api/baseUrl';

/** The URLs of all triggers of this package end like this: the path of all webhooks of n8n, the ID of the node, and its path. */
export function mayBeTrigger(url: string): boolean {
	return /^https?:\/\/[^?#]+\/[^/?#]+\/[^/?#]+\/webhook$/.test(normalUrl(url));
}

/** Whether the path of all webhooks in a URL is that of n8n, to which an administrator can give another name. */
export function hasPathOfN8n(url: string): boolean {
	return /^https?:\/\/[^?#]+\/webhook(-test)?\/[^?#]+$/.test(normalUrl(url));
}

/** Whether two URLs belong to the same n8n. */
export function areOfOneN8n(one: string, other: string): boolean {
	return baseOf(one) !== undefined && baseOf(one) === baseOf(other);
}

/** Whether a URL that may be a trigger's is one of this n8n, and not of another system on the same host. */
export function isOfOwnTrigger(url: string, ownUrl: string): boolean {
	return areOfOneN8n(url, ownUrl) && (hasPathOfN8n(url) || !hasPathOfN8n(ownUrl));
}

/** One host can have several n8n, each below a path of its own. Undefined if it is no URL. */
function baseOf(webhookUrl: string): string | undefined {
	const url = parseUrl(normalUrl(webhookUrl));
	if (!url) return undefined;
	const { origin, pathname } = url;
	// An administrator can give the path of all webhooks another name.
	const [path = '', ...rest] = pathname.split(/\/webhook(?:-test)?\//);
	return rest.length === 0 ? origin : `${origin}${path}`;
}
