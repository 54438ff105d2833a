import { createRandom } from './random';
import { pathPattern } from './routes';

/** Which requests a fault hits, how often, and whether the request is taken first. */
export interface FaultTarget {
	/** `<resource>.<operation>`; without it and without `path`, every operation. */
	operationId?: string;
	method?: string;
	/** Path below the base URL, exact or with `{placeholders}`. */
	path?: string;
	/** Only requests whose JSON body or form carries these values. */
	bodyHas?: Record<string, unknown>;
	/** Default 1; with `probability` and for `hold`, default `always`. */
	times?: number | 'always';
	/** So many matching requests pass first, whatever other faults do to them. Default 0. */
	skip?: number;
	/** Chance that a matching request is hit, 0 to 1; drawn from `seed`, so a run can be repeated. */
	probability?: number;
	seed?: number;
	/**
	 * `before`: the request is not taken. `after`: it is taken, then the answer is spoiled; requests that the
	 * service refuses are left alone. Default `before`, except for what can only happen to a real answer.
	 */
	when?: 'before' | 'after';
}

/** What goes wrong. */
export type FaultEffect =
	| { kind: 'status'; status: number; error?: string; body?: unknown; headers?: Record<string, string> }
	| { kind: 'delay'; ms: number }
	/**
	 * Answers are held back until there are `until` of them, or the faults are cleared. Then all of them go out, and
	 * the fault is over.
	 */
	| { kind: 'hold'; until?: number }
	/** The socket is destroyed without an answer. */
	| { kind: 'reset' }
	/** No answer, until the caller goes. */
	| { kind: 'silence' }
	/** JSON that stops in the middle. */
	| { kind: 'bad-json'; status?: number }
	/** The real answer with its length, and half-way through the connection ends. */
	| { kind: 'cut' }
	/** The real answer with its length, and from half-way on nothing more comes, until the caller goes. */
	| { kind: 'stall' }
	/** The real answer packed with gzip, whether or not that was asked for, and of that only half, as if it were whole. */
	| { kind: 'half-gzip' }
	/** A proxy's page instead of the answer, without anything of the service's in its headers. */
	| { kind: 'html'; status?: number }
	| { kind: 'empty'; status?: number }
	| { kind: 'redirect'; location: string; status?: number };

/** One fault on command. */
export type Fault = FaultTarget & FaultEffect;

/** The fault that holds answers back. */
export type Hold = Extract<FaultEffect, { kind: 'hold' }>;

/** What a fault can be matched against. */
export interface FaultSubject {
	operationId: string | null;
	method: string;
	/** Below the base URL. */
	path: string;
	/** JSON body or form fields. */
	body: unknown;
}

/** What can only happen to a real answer. */
export const OF_ANSWERS: ReadonlyArray<Fault['kind']> = ['cut', 'stall', 'half-gzip'];

const armed = (fault: Fault) => ({
	fault,
	when: OF_ANSWERS.includes(fault.kind) ? 'after' : (fault.when ?? 'before'),
	left: timesOf(fault),
	toSkip: fault.skip ?? 0,
	/** Requests that pass, so that the fault does not hit their answers either. */
	skipped: new WeakSet<FaultSubject>(),
	random: createRandom(fault.seed ?? 1),
});

function timesOf({ kind, times, probability }: Fault): number {
	if (typeof times === 'number') return times;
	return times === 'always' || probability !== undefined || kind === 'hold' ? Infinity : 1;
}

function fits({ operationId, method, path, bodyHas = {} }: Fault, subject: FaultSubject): boolean {
	const body = (subject.body ?? {}) as Record<string, unknown>;
	return (
		(operationId === undefined || operationId === subject.operationId) &&
		(method === undefined || method.toUpperCase() === subject.method) &&
		(path === undefined || pathPattern(path).test(subject.path)) &&
		Object.entries(bodyHas).every(([name, value]) => JSON.stringify(body[name]) === JSON.stringify(value))
	);
}

/** The faults on command; none yet. */
export function createFaults() {
	let all: Array<ReturnType<typeof armed>> = [];
	let added = 0;
	const held = new Map<Hold, Array<() => void>>();
	const letGo = (hold: Hold) => {
		all = all.filter(({ fault }) => fault !== hold);
		for (const goOn of held.get(hold) ?? []) goOn();
		held.delete(hold);
	};
	return {
		add: (fault: Fault): number => {
			all.push(armed(fault));
			return ++added;
		},
		/** Also lets go what they hold back. */
		clear: () => {
			all = [];
			for (const hold of held.keys()) letGo(hold);
		},
		/** The first fault that hits; using it up as it does. */
		find: (when: 'before' | 'after', subject: FaultSubject): FaultEffect | undefined => {
			const fitting = all.filter(({ fault }) => fits(fault, subject));
			for (const one of fitting) {
				if (when === 'after' || one.toSkip === 0) continue;
				one.toSkip -= 1;
				one.skipped.add(subject);
			}
			for (const one of fitting) {
				if (one.when !== when || one.skipped.has(subject)) continue;
				const { probability } = one.fault;
				if (probability !== undefined && one.random.next() >= probability) continue;
				one.left -= 1;
				if (one.left <= 0) all = all.filter((other) => other !== one);
				return one.fault;
			}
			return undefined;
		},
		/** Resolves when a request that was hit by this `hold` may go on. */
		held: async (hold: Hold) =>
			await new Promise<void>((goOn) => {
				const waiting = [...(held.get(hold) ?? []), goOn];
				held.set(hold, waiting);
				if (waiting.length === hold.until) letGo(hold);
			}),
	};
}
