import { normalUrl } from '../../webhook/url';
import type { Registration } from '../../webhook/subscribers';

/** What this process knows of a trigger of its own that n8n has published, tested or ended. */
export interface OwnTrigger {
	/** Whether n8n has activated or deactivated it; undefined if n8n has only started its loops. */
	isActive?: boolean;
	/** The key of the trigger that n8n activated. A copy of it has the same URL, in the same workflow or an imported one. */
	key?: string;
	/** The name of its workflow. n8n lets no node ask for other workflows. */
	workflowName?: string;
	/** The webhook that its unfinished or failed activation replaced, which the end of the trigger restores. */
	replaced?: Registration;
	/** Ends the silence of its test, after which the latest message is fetched. */
	silence?: AbortController;
}

/** By URL. A trigger that was deactivated stays, because a repair that began before must not add it again. */
const ownTriggers = new Map<string, OwnTrigger>();

/** The trigger of this process at a URL. */
export function ownTriggerAt(url: string): OwnTrigger {
	const key = normalUrl(url);
	const trigger = ownTriggers.get(key) ?? {};
	ownTriggers.set(key, trigger);
	return trigger;
}
