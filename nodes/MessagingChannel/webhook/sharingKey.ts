import { createHmac } from 'crypto';

/** A key of its own, so that nothing that the service signs with the secret can pass for something signed here. */
export function sharingKeyOf(secret: string): Buffer {
	return createHmac('sha256', secret).update('n8n-nodes-messaging-channel: shared webhook').digest();
}

/** A digest that identifies a secret, and does not reveal it. */
export function secretDigestOf(secret: string): string {
	return createHmac('sha256', sharingKeyOf(secret)).update('digest').digest('base64');
}
