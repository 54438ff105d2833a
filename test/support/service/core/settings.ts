// cspell:ignore forbiddenword
import type { Settings } from './control';

/** What the service starts with. */
export const defaultSettings = (production: boolean): Settings => ({
	rateLimit: { limit: 100_000, windowSeconds: 60 },
	rateLimitHeaders: true,
	retryAfter: 'none',
	sendDelay: { minMs: 20, maxMs: 60 },
	losesMessages: false,
	statusDelay: { minMs: 5, maxMs: 15 },
	statusEvents: 'sub-types',
	redelivery: { maxAttempts: 5, backoffMs: 250 },
	syncTimeoutMs: 60_000,
	maxListLimit: 100,
	shortPages: null,
	chatPages: null,
	listTotal: null,
	shownTexts: 'as-sent',
	maxPhones: 100,
	forbiddenWord: 'forbiddenword',
	production,
	webhookBeforeSet: 'not_found',
	webhookUrl: 'as-set',
	maxTimeoutSeconds: null,
	keepMediaBytes: 32 * 1024 * 1024,
	namesFiles: false,
	wrongSignatures: false,
	dialect: 'documented',
	sample: {},
});
