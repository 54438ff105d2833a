import type { Choices } from './choices';
import { createTransport, type Transport } from './network';
import { loadPackage, type LoadedPackage } from './package';
import type { Scheduler } from './scheduler';
import type { SimulatedService } from './service';

/** The world that a process of n8n runs in. */
export interface World {
	scheduler: Scheduler;
	choices: Choices;
	service: SimulatedService;
}

/** A process with module state of its own. Once it is dead, nothing that it had begun has an effect. */
export interface SimulatedProcess extends LoadedPackage {
	transport: Transport;
	sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
	/** Lets something happen in this process, so many milliseconds later. */
	after: (ms: number, run: () => void) => void;
	isDead: () => boolean;
	kill: () => void;
	/** What it wrote to its log. */
	log: string[];
	logger: Record<'debug' | 'error' | 'info' | 'warn', (line: string) => void>;
}

let processes = 0;

export function bootProcess({ scheduler, choices, service }: World): SimulatedProcess {
	let dead = false;
	let lastUuid = 0;
	const isDead = () => dead;
	const after = (ms: number, run: () => void) => scheduler.after(ms, run, isDead);
	const log: string[] = [];
	const write = (line: string) => void log.push(line);
	const sleep = async (ms: number, signal?: AbortSignal): Promise<void> =>
		await new Promise((resolve, reject) => {
			signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
			after(ms, resolve);
		});
	const id = (++processes).toString(16).padStart(12, '0');
	const uuid = () => `00000000-0000-4000-8000-${id.slice(-6)}${(++lastUuid).toString(16).padStart(6, '0')}`;
	return {
		...loadPackage({ now: scheduler.now, random: () => 0.5, sleep, randomUUID: uuid }),
		transport: createTransport(scheduler, choices, service, isDead),
		sleep,
		after,
		isDead,
		kill: () => (dead = true),
		log,
		logger: { debug: write, error: write, info: write, warn: write },
	};
}
