import type { ServedControl } from './controlServer';

/** Everything a test may do to the service besides calling its API: what `controlServer` does, from wherever it is asked. */
export type Control = {
	[Method in keyof ServedControl]: (
		...given: Parameters<ServedControl[Method]>
	) => Promise<Awaited<ReturnType<ServedControl[Method]>>>;
};

/** `fetch` waits no longer than five minutes for an answer. */
const LONGEST_CALL_MS = 240_000;

/** The control API of a service at `origin` (`http://127.0.0.1:PORT`), in this process or another one. */
export function connectControl(origin: string): Control {
	const call = async (method: string, argument: unknown): Promise<unknown> => {
		const response = await fetch(`${origin}/control/${method}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(argument ?? {}),
		});
		const answer = (await response.json()) as { result?: unknown; error?: string };
		if (!response.ok) throw new Error(`control.${method}: ${answer.error}`);
		return answer.result;
	};
	const idle: Control['idle'] = async ({ timeoutMs = 120_000 } = {}) => {
		let left = timeoutMs;
		for (; left > LONGEST_CALL_MS; left -= LONGEST_CALL_MS) {
			const isIdle = call('idle', { timeoutMs: LONGEST_CALL_MS }).then(
				() => true,
				() => false,
			);
			if (await isIdle) return;
		}
		await call('idle', { timeoutMs: left });
	};
	// A promise that resolves to this asks whether it is one itself.
	return new Proxy({ idle } as Control, {
		get: (own, method) =>
			typeof method === 'string' && method !== 'then'
				? (Reflect.get(own, method) ?? (async (argument: unknown) => await call(method, argument)))
				: undefined,
	});
}
