import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/**
 * Looking a credential up costs n8n 65 to 70 ms of CPU, because it starts an expression sandbox for it: more than all
 * the rest of a delivery. So a secret is kept for a while, and looked up again when it does not fit.
 */
const KEPT_MS = 60_000;

/** A flood of forged deliveries makes n8n look no more often than this. */
const LOOK_AGAIN_MS = 1_000;

interface Kept {
	secret: string;
	readAt: number;
}

/** The signing secret in a credential, without the blanks that come along when it is pasted; empty when there is none. */
export function signingSecretIn({ signingSecret }: ICredentialDataDecryptedObject): string {
	return String(signingSecret ?? '').trim();
}

/** The signing secrets of the credentials in use. */
export interface SecretCache {
	/** The secret of a credential, from memory or looked up. */
	get(credentialId: string, look: () => Promise<string>, now: number): Promise<string>;
	/** The secret looked up once more, unless that was done just now. */
	refresh(credentialId: string, look: () => Promise<string>, now: number): Promise<string>;
}

/** No secrets yet. */
export function createSecretCache(): SecretCache {
	const kept = new Map<string, Kept>();
	const looks = new Map<string, Promise<string>>();

	const lookUp = async (id: string, look: () => Promise<string>, now: number) => {
		const running = looks.get(id);
		if (running) return await running;
		const started = look()
			.then((secret) => {
				kept.set(id, { secret, readAt: now });
				return secret;
			})
			.finally(() => looks.delete(id));
		looks.set(id, started);
		return await started;
	};
	const unlessOlder = async (
		age: number,
		...[id, look, now]: [string, () => Promise<string>, number]
	): Promise<string> => {
		const known = kept.get(id);
		return known && now - known.readAt < age ? known.secret : await lookUp(id, look, now);
	};

	return {
		get: async (...lookup) => await unlessOlder(KEPT_MS, ...lookup),
		refresh: async (...lookup) => await unlessOlder(LOOK_AGAIN_MS, ...lookup),
	};
}
