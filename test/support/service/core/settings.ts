import type { Dialect } from './dialects';

/** What can be changed while the service runs. `reset()` brings every default back. */
export interface Settings {
	/** Requests per fixed window ("Limits"). A window may be a fraction of a second; the header is rounded up. */
	rateLimit: { limit: number; windowSeconds: number };
	/** Whether answers carry `X-RateLimit-*`. */
	rateLimitHeaders: boolean;
	/** What an answer over the limit says in `Retry-After`: nothing, the seconds, or the time by the service's clock. */
	retryAfter: 'none' | 'seconds' | 'date';
	/** The pause the queue makes before each send ("What the service does 4"). */
	sendDelay: DelayRange;
	/** Whether the channel loses what is sent from now on: it is taken, and then shows nowhere. Default false. */
	losesMessages: boolean;
	/** Attempts per event and the first pause between them, doubled each time ("Delivery rules": not shown). */
	redelivery: {
		maxAttempts: number;
		backoffMs: number;
		/** Gives up on an answer sooner than the webhook's `timeout_seconds`, as a proxy on the way may. */
		timeoutMs?: number;
	};
	/** How long a `sync` send waits before 504 `send_timeout`. */
	syncTimeoutMs: number;
	/** What a page of a chat's messages lacks: those beyond `most`, and the one in this place of a full page. */
	chatPages: { most?: number; hides?: number } | null;
	/** How chats show the texts that are sent: as they are, without the space around them, with CRLF, or decomposed. */
	shownTexts: 'as-sent' | 'trimmed' | 'crlf' | 'nfd';
	/** In production the webhook URL must be HTTPS ("Webhooks", rules). */
	production: boolean;
	/** How the webhook's URL is stored: as it was set, or with its host in lower case and without the default port. */
	webhookUrl: 'as-set' | 'normalized';
	/** The longest `timeout_seconds` of a webhook, to which a longer one is cut; null for no limit ("Limits": not shown). */
	maxTimeoutSeconds: number | null;
	/** Whether deliveries are signed with another key, as those of somebody else are. Default false. */
	wrongSignatures: boolean;
	/** How it writes times, IDs, flags and lists. Default `documented`. */
	dialect: Dialect;
	/** What `POST /webhooks/test` does beside its answer ("Delivery rules 6": the rest is not shown). */
	sample: SampleSettings;
}

/** How the sample event is sent. Each has the default of a service that is kind. */
export interface SampleSettings {
	/** Before the answer (default), so many milliseconds after it, or never. */
	sent?: 'before-answer' | { afterMs: number } | 'never';
	/** Whether it is delivered again when it failed, as events are. Default false. */
	redelivered?: boolean;
	/** Whether the answer says which event it is. Default true. */
	named?: boolean;
	/** So many customers' messages arrive just before it. Default 0. */
	messagesBefore?: number;
}

/** A moment in Unix milliseconds at which the service's clock stands, or an offset. */
export type ClockSetting = { stoppedAtMs: number } | { offsetMs: number };

/** A pause is drawn evenly from this range. */
export interface DelayRange {
	minMs: number;
	maxMs: number;
}

/** What the service starts with. */
export const defaultSettings = (production: boolean): Settings => ({
	rateLimit: { limit: 100_000, windowSeconds: 60 },
	rateLimitHeaders: true,
	retryAfter: 'none',
	sendDelay: { minMs: 20, maxMs: 60 },
	losesMessages: false,
	redelivery: { maxAttempts: 5, backoffMs: 250 },
	syncTimeoutMs: 60_000,
	chatPages: null,
	shownTexts: 'as-sent',
	production,
	webhookUrl: 'as-set',
	maxTimeoutSeconds: null,
	wrongSignatures: false,
	dialect: 'documented',
	sample: {},
});
