import { poll } from '../support/poll';

/** Looks again and again until it is so, for what n8n does only after it has shown that it is done. */
export async function until(what: string, look: () => Promise<boolean>): Promise<void> {
	await poll(look, { timeoutMs: 120_000, failure: `waited in vain until ${what}` });
}
