import type { Choices } from '../chance/choices';
import type { InternalRequest, RequestEvent, ServiceRequest } from '../service/http';
import { loadPackage, type LoadedPackage } from './package';
import type { Scheduler } from '../chance/scheduler';
import type { SimulatedService } from '../service/service';
import type { Tell } from '../chance/story';

/** The world that a process of n8n runs in. */
export interface World {
	scheduler: Scheduler;
	choices: Choices;
	service: SimulatedService;
	tell: Tell;
	/** The name of what becomes of each request, when it is not left to chance. */
	fateOf?: (request: ServiceRequest) => string;
	/** How long workflows run, in milliseconds, when it is not left to chance. */
	workflowMs?: number;
	/** What processes have sent and heard, in that order. A request that never arrived is here too. */
	requestLog?: RequestEvent[];
	/** What triggers have sent to n8n's own URL. */
	internalLog?: InternalRequest[];
}

/** Something that a process does to the outside: a request, a read or write in the database, a response. */
export interface Effect<T> {
	/** For the story. */
	name: string;
	/** How long it takes to get there, and how long until the process hears of it, in milliseconds. */
	thereMs: number;
	backMs: number;
	/** Takes place outside of the process. */
	happen: () => T;
}

/** A process with module state of its own. */
export interface SimulatedProcess extends LoadedPackage {
	/** For the story. */
	name: string;
	/**
	 * Every effect on the outside passes here, and the process may die before, during or after it. A dead process begins no
	 * effect and hears of none, but one that is on its way may still happen.
	 */
	reach: <T>(effect: Effect<T>) => Promise<T>;
	sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
	/** Lets something happen in this process, so many milliseconds later. */
	after: (ms: number, run: () => void) => void;
	isDead: () => boolean;
	kill: () => void;
	/** What it wrote to its log. */
	log: string[];
	logger: Record<'debug' | 'error' | 'info' | 'warn', (line: string) => void>;
}

/** How one effect in so many ends: the process dies with it. */
const EFFECTS_PER_DEATH = 60;
const DEATHS = ['before', 'during', 'after'] as const;

/**
 * @param onDeath called once when it dies. Without it, the process dies only when it is killed, never by chance
 * @param clockOffsetMs how far the clock of its machine is ahead of the scheduler's
 */
export function bootProcess(
	{ scheduler, choices, tell }: World,
	name = 'n8n',
	onDeath?: () => void,
	clockOffsetMs = 0,
): SimulatedProcess {
	let dead = false;
	let lastUuid = 0;
	const isDead = () => dead;
	const after = (ms: number, run: () => void) => scheduler.after(ms, run, isDead);
	const log: string[] = [];
	const write = (line: string) => {
		log.push(line);
		tell(() => `${name} logs: ${line}`);
	};

	const kill = (): void => {
		if (dead) return;
		dead = true;
		tell(() => `${name} dies`);
		onDeath?.();
	};

	const reach = async <T>({ name: effect, thereMs, backMs, happen }: Effect<T>): Promise<T> =>
		await new Promise((resolve, reject) => {
			if (dead) return;
			const death = onDeath && choices.rarely(EFFECTS_PER_DEATH) ? choices.oneOf(DEATHS) : undefined;
			tell(() => `${name}: ${effect}${death ? `, and dies ${death} it` : ''}`);
			if (death === 'before') return kill();
			scheduler.after(thereMs, () => {
				if (dead && choices.rarely(2)) return tell(() => `${name}, dead: ${effect} gets lost`);
				try {
					const result = happen();
					after(backMs, () => resolve(result));
				} catch (error) {
					after(backMs, () => reject(error as Error));
				}
				if (death === 'after') kill();
			});
			if (death === 'during') kill();
		});

	const sleep = async (ms: number, signal?: AbortSignal): Promise<void> =>
		await new Promise((resolve, reject) => {
			if (signal?.aborted) return reject(signal.reason as Error);
			const abort = () => reject(signal?.reason as Error);
			signal?.addEventListener('abort', abort, { once: true });
			const wake = () => {
				signal?.removeEventListener('abort', abort);
				resolve();
			};
			scheduler.after(ms, wake, () => dead || signal?.aborted === true);
		});

	const now = () => scheduler.now() + clockOffsetMs;
	const id = scheduler.nextId().toString(16).padStart(12, '0');
	const uuid = () => `00000000-0000-4000-8000-${id.slice(-6)}${(++lastUuid).toString(16).padStart(6, '0')}`;
	const loaded = loadPackage({ now, random: () => 0.5, sleep, randomUUID: uuid });
	return Object.assign(loaded, {
		name,
		reach,
		sleep,
		after,
		isDead,
		kill,
		log,
		logger: { debug: write, error: write, info: write, warn: write },
	});
}
