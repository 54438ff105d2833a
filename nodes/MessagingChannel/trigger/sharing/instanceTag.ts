import { createHmac } from 'crypto';

import { sharingKeyOf } from '../../webhook/sharingKey';

/** A tag by which two triggers with the same secret know that they run in the same n8n. It does not show the ID. */
export function instanceTagOf(instanceId: string, nonce: string, secret: string): string {
	return createHmac('sha256', sharingKeyOf(secret))
		.update(`instance ${instanceId} ${nonce}`)
		.digest('base64url');
}
