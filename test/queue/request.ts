import type { QueueWorld } from '../support/cluster/queueWorld';

/** Starts a workflow whose Webhook node has this path. */
export async function requestTo({ cluster }: QueueWorld, path: string): Promise<void> {
	const { status } = await fetch(`${cluster.url}/webhook/${path}`, { method: 'POST' });
	expect(status).toBe(200);
}
