import { createHmac } from 'node:crypto';

/** HMAC-SHA256 hex of the raw body ("Authentication 5"). */
export const sign = (body: string | Buffer, secret: string): string =>
	createHmac('sha256', secret).update(body).digest('hex');
