import type { AcceptedMessage } from './control';
import type { Settings } from './settings';
import type { Permission } from './records';
import { permissions } from './records';
import { createClock, type Clock } from './clock';
import type { Description } from './description';
import { createFaults, type Faults } from './faults';
import { createMediaStore, type MediaStore } from './mediaStore';
import { createRandom, type Random } from './random';
import { createRateLimiter, type RateLimiter } from './rateLimit';
import { createRequestLog, type RequestLog } from './requestLog';
import { createRoutes, type Routes } from './routes';
import { createSendQueue, type SendQueue } from './sendQueue';
import { defaultSettings } from './settings';
import { createStore, type Store } from './store';
import { createTimers, type Timers } from './timers';
import { createDeliverer, type Deliverer, type Webhook } from './webhookDelivery';

/** What a runtime starts from. */
export interface RuntimeOptions {
	apiKey: string;
	signingSecret?: string;
	production: boolean;
	seed: number;
	/** The certificate of the one authority that deliveries trust, in PEM; the usual ones unless given. */
	trusted?: string;
}

/** Everything the service holds; `reset` throws it away and starts a new one. */
export interface Runtime {
	/** `http://127.0.0.1:PORT` */
	origin: string;
	description: Description;
	routes: Routes;
	settings: Settings;
	clock: Clock;
	random: Random;
	timers: Timers;
	store: Store;
	media: MediaStore;
	keys: Map<string, Set<Permission>>;
	rateLimiter: RateLimiter;
	queue: SendQueue;
	webhook: Webhook;
	deliverer: Deliverer;
	faults: Faults;
	/** The switches of the phone page that are on. */
	switches: Set<string>;
	log: RequestLog;
	/** The latest status of each sent message: `sent`, `delivered` or `read`. */
	statuses: Map<string, string>;
	accepted: AcceptedMessage[];
	defects: string[];
	/** Status changes, broadcasts and samples that are still to come. */
	upcoming: number;
	/** Signs download links. */
	linkKey: string;
	/** `<prefix>-<n>`, counting up per prefix. */
	nextId(prefix: string): string;
	stop(): void;
}

/** A fresh runtime. */
export function createRuntime(description: Description, origin: string, options: RuntimeOptions): Runtime {
	const settings = defaultSettings(options.production);
	const clock = createClock();
	const random = createRandom(options.seed);
	const timers = createTimers();
	const store = createStore();
	const webhook: Webhook = { config: null, secret: options.signingSecret ?? random.hex(64) };
	const deliverer = createDeliverer(store.account.id, webhook, settings, clock, timers, options.trusted);
	const counters = new Map<string, number>();
	return {
		origin,
		description,
		routes: createRoutes(description.operations),
		settings,
		clock,
		random,
		timers,
		store,
		media: createMediaStore(),
		keys: new Map([[options.apiKey, new Set(permissions)]]),
		rateLimiter: createRateLimiter(settings, clock),
		queue: createSendQueue(timers, () => random.between(settings.sendDelay.minMs, settings.sendDelay.maxMs)),
		webhook,
		deliverer,
		faults: createFaults(),
		switches: new Set(),
		log: createRequestLog(),
		statuses: new Map(),
		accepted: [],
		defects: [],
		upcoming: 0,
		linkKey: random.hex(32),
		nextId: (prefix) => {
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
