import { createHmac } from 'node:crypto';

import type { Runtime } from './runtime';

const lifetimeMs = 15 * 60 * 1000;

const tokenOf = (runtime: Runtime, filename: string, expires: number): string =>
	createHmac('sha256', runtime.linkKey).update(`${filename} ${expires}`).digest('hex');

/** A time-limited download link, good without a key ("Chats", `include_presigned_url`). */
export function presignedUrl(runtime: Runtime, filename: string): string {
	const expires = runtime.clock.now() + lifetimeMs;
	const token = tokenOf(runtime, filename, expires);
	return `${runtime.origin}/links/${encodeURIComponent(filename)}?expires=${expires}&token=${token}`;
}

/** Whether a link is one of ours and still good. */
export const isGoodLink = (runtime: Runtime, filename: string, expires: number, token: string): boolean =>
	expires > runtime.clock.now() && token === tokenOf(runtime, filename, expires);
