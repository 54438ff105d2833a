import { createHmac } from 'crypto';

import { sharingKeyOf } from '../../webhook/sharingKey';

/**
 * A tag by which two triggers with the same secret know that they run in the same n8n. It does not show the ID.
 *
 * @param purpose anybody with the secret can ask for the tag of an `instance`, so it must not pass for that of an `asker`
 */
export function instanceTagOf(
	instanceId: string,
	nonce: string,
	secret: string,
	purpose: 'instance' | 'asker' = 'instance',
): string {
	return createHmac('sha256', sharingKeyOf(secret))
		.update(`${purpose} ${instanceId} ${nonce}`)
		.digest('base64url');
}
