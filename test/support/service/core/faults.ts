import type { Fault, FaultEffect } from './control';
import { createRandom, type Random } from './random';
import { pathPattern } from './routes';

/** What a fault can be matched against. */
export interface FaultSubject {
	operationId: string | null;
	method: string;
	/** Below the base URL. */
	path: string;
	/** JSON body or form fields. */
	body: unknown;
}

/** The faults on command. */
export interface Faults {
	add(fault: Fault): number;
	/** Also lets go what they hold back. */
	clear(): void;
	/** The first fault that hits; using it up as it does. */
	find(when: 'before' | 'after', subject: FaultSubject): FaultEffect | undefined;
	/** Resolves when a request that was hit by this `hold` may go on. */
	held(hold: Hold): Promise<void>;
}

/** The fault that holds answers back. */
export type Hold = Extract<FaultEffect, { kind: 'hold' }>;

interface Armed {
	fault: Fault;
	when: 'before' | 'after';
	left: number;
	toSkip: number;
	/** Requests that pass, so that the fault does not hit their answers either. */
	skipped: WeakSet<FaultSubject>;
	random: Random;
	path: RegExp | undefined;
}

/** What can only happen to a real answer. */
const toAnswers: Array<Fault['kind']> = ['cut', 'stall', 'half-gzip'];

const phase = (fault: Fault): 'before' | 'after' =>
	toAnswers.includes(fault.kind) ? 'after' : (fault.when ?? 'before');

const timesLeft = ({ kind, times, probability }: Fault): number => {
	if (typeof times === 'number') return times;
	return times === 'always' || probability !== undefined || kind === 'hold' ? Infinity : 1;
};

function fits({ fault, path }: Armed, subject: FaultSubject): boolean {
	if (fault.operationId !== undefined && fault.operationId !== subject.operationId) return false;
	if (fault.method !== undefined && fault.method.toUpperCase() !== subject.method) return false;
	if (path && !path.test(subject.path)) return false;
	const body = (subject.body ?? {}) as Record<string, unknown>;
	return Object.entries(fault.bodyHas ?? {}).every(
		([name, value]) => JSON.stringify(body[name]) === JSON.stringify(value),
	);
}

/** No faults yet. */
export function createFaults(): Faults {
	let armed: Armed[] = [];
	let added = 0;
	const held = new Map<Hold, Array<() => void>>();
	const letGo = (hold: Hold) => {
		armed = armed.filter(({ fault }) => fault !== hold);
		for (const goOn of held.get(hold) ?? []) goOn();
		held.delete(hold);
	};
	const skip = (subject: FaultSubject) => {
		for (const one of armed.filter(({ toSkip }) => toSkip > 0)) {
			if (!fits(one, subject)) continue;
			one.toSkip -= 1;
			one.skipped.add(subject);
		}
	};
	return {
		add: (fault) => {
			const path = fault.path === undefined ? undefined : pathPattern(fault.path);
			const random = createRandom(fault.seed ?? 1);
			armed.push({
				fault,
				when: phase(fault),
				left: timesLeft(fault),
				toSkip: fault.skip ?? 0,
				skipped: new WeakSet(),
				random,
				path,
			});
			return ++added;
		},
		clear: () => {
			armed = [];
			for (const hold of held.keys()) letGo(hold);
		},
		find: (when, subject) => {
			if (when === 'before') skip(subject);
			for (const candidate of armed) {
				if (candidate.when !== when || candidate.skipped.has(subject) || !fits(candidate, subject)) continue;
				const { probability } = candidate.fault;
				if (probability !== undefined && candidate.random.next() >= probability) continue;
				candidate.left -= 1;
				if (candidate.left <= 0) armed = armed.filter((other) => other !== candidate);
				return candidate.fault;
			}
			return undefined;
		},
		held: async (hold) =>
			await new Promise((goOn) => {
				const all = [...(held.get(hold) ?? []), goOn];
				held.set(hold, all);
				if (all.length === hold.until) letGo(hold);
			}),
	};
}
