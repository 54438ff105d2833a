import { createHmac } from 'crypto';

import { sharingKeyOf } from '../../webhook/sharingKey';
import { normalUrl } from '../../webhook/url';

/** A tag by which two triggers with the same secret know that they run in the same n8n. It does not show the ID. */
export function instanceTagOf(instanceId: string, nonce: string, secret: string): string {
	return tagOf(`instance ${instanceId} ${nonce}`, secret);
}

/**
 * The tag of somebody who asks a trigger. Anybody with the secret can ask for the tag of an instance, so that does not pass for it.
 *
 * @param url the URL of the trigger: another receiver that was asked cannot pass the question on to it
 */
export function askerTagOf(instanceId: string, nonce: string, secret: string, url: string): string {
	return tagOf(`asker ${instanceId} ${nonce} ${normalUrl(url)}`, secret);
}

function tagOf(text: string, secret: string): string {
	return createHmac('sha256', sharingKeyOf(secret)).update(text).digest('base64url');
}
