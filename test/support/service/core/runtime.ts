import { createClock } from './clock';
import { createFaults } from './faults';
import { createMediaStore } from './mediaStore';
import { createRandom } from './random';
import { createRateLimiter } from './rateLimit';
import { permissions, type Permission } from './records';
import { createRequestLog } from './requestLog';
import { createRoutes } from './routes';
import { createSendQueue } from './sendQueue';
import { defaultSettings } from './settings';
import { createStore } from './store';
import { createTimers } from './timers';
import { createDeliverer, type Webhook } from './webhookDelivery';

/** What a runtime starts from. */
export interface RuntimeOptions {
	apiKey: string;
	signingSecret?: string;
	production: boolean;
	seed: number;
	/** The certificate of the one authority that deliveries trust, in PEM; the usual ones unless given. */
	trusted?: string;
}

/** One message that the service took on, however it was asked to. */
export interface AcceptedMessage {
	/** Counts up from 1 in order of acceptance. */
	order: number;
	operationId: string;
	/** Normalized chat id. */
	to: string;
	/** Text, or the caption of a medium. */
	body: string;
	/** Null for a scheduled message or a broadcast recipient that has not been queued yet. */
	jobId: string | null;
	acceptedAt: number;
}

export type Runtime = ReturnType<typeof createRuntime>;

/**
 * Everything the service holds; `reset` throws it away and starts a new one.
 *
 * @param origin `http://127.0.0.1:PORT`
 */
export function createRuntime(origin: string, options: RuntimeOptions) {
	const settings = defaultSettings(options.production);
	const clock = createClock();
	const random = createRandom(options.seed);
	const timers = createTimers();
	const store = createStore();
	const webhook: Webhook = { config: null, secret: options.signingSecret ?? random.hex(64) };
	const deliverer = createDeliverer(store.account.id, webhook, settings, clock, timers, options.trusted);
	const counters = new Map<string, number>();
	return {
		...{ origin, settings, clock, random, timers, store, webhook, deliverer },
		routes: createRoutes(),
		media: createMediaStore(),
		keys: new Map([[options.apiKey, new Set<Permission>(permissions)]]),
		rateLimiter: createRateLimiter(settings, clock),
		queue: createSendQueue(timers, () => random.between(settings.sendDelay.minMs, settings.sendDelay.maxMs)),
		faults: createFaults(),
		/** The switches of the phone page that are on. */
		switches: new Set<string>(),
		log: createRequestLog(),
		/** The latest status of each sent message: `sent`, `delivered` or `read`. */
		statuses: new Map<string, string>(),
		accepted: [] as AcceptedMessage[],
		/** Answers that did not fit openapi.yaml. */
		defects: [] as string[],
		/** Status changes, broadcasts and samples that are still to come. */
		upcoming: 0,
		/** Signs download links. */
		linkKey: random.hex(32),
		/** `<prefix>-<n>`, counting up per prefix. */
		nextId: (prefix: string) => {
			const next = (counters.get(prefix) ?? 0) + 1;
			counters.set(prefix, next);
			return `${prefix}-${next}`;
		},
		stop: () => {
			timers.stop();
			deliverer.stop();
		},
	};
}
