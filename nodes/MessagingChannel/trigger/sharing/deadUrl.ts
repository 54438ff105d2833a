import { parsedJson, recordOrEmpty } from '../../api/values';
import type { InternalResponse } from './forward';

/** What a trigger that polls responds, so that nobody takes it for one that receives events. */
export const NOT_LISTENING = 'not_listening';

/** What n8n says of a path that no workflow has: all that follows its path of webhooks, which is more than a last part. */
const NOT_REGISTERED = /"POST ([^"]*\/[^"]*)" is not registered\.$/;

/** What n8n says of a path of which it knows only that it belonged to a workflow, because it could not end the trigger. */
const UNPUBLISHED =
	/^((Published|Active) version not found for workflow with id "|Could not find workflow with id "|Could not find node to process webhook\.$)/;

/**
 * Whether a response of 404 proves that no workflow listens at the URL of a trigger: n8n names its path as one that is not
 * registered, or as one of a workflow that is not published, or the trigger itself says that it polls now. Any other 404
 * may come from another system on the same host.
 */
export function isProvenDead(url: string, { body }: Pick<InternalResponse, 'body'>): boolean {
	const { error, message } = recordOrEmpty(parsedJson(body));
	const said = String(message);
	const path = NOT_REGISTERED.exec(said)?.[1];
	const isNamed = path !== undefined && decoded(url).endsWith(`/${decoded(path)}`);
	return error === NOT_LISTENING || isNamed || UNPUBLISHED.test(said);
}

function decoded(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}
