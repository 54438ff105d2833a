// Explores the shipped journal: every interleaving of the processes of a world, breadth first, so that a counterexample is a
// shortest one. A process is a function of what it was told, so its state is the list of that, and is computed only once. A call to
// the row is two steps, read and write: what another process writes between them is lost.
import {
	behave,
	type Behaviour,
	type Belief,
	type Operation,
	type Told,
	type Truth,
	type World,
} from './life';

interface Process {
	life: number;
	told: Told[];
	/** The image of the row that the call under way has read. */
	image?: { n: number; row: string[]; at: number };
	heard: number;
	/** For each wait, which images had been read when it began. */
	waits: Record<number, number[]>;
}

interface Global {
	row: string[];
	truth: Truth;
	kills: number;
	fails: number;
	processes: Process[];
	/** Calls of killed processes that can still write. */
	late: Array<{ at: number; row: string[] }>;
	images: number;
}

export interface Explored {
	states: number;
	/** What is broken, and the shortest way to it; undefined if all holds. */
	broken?: string;
}

/** The judge of a belief: returns what is broken. */
export type Judge = (truth: Truth, belief: Belief) => string | undefined;

/** Visits every state of a world, or the first ones, to the depth that takes some seconds. */
export async function explore(world: World, judge: Judge, limit = 12_000): Promise<Explored> {
	const behaviours = new Map<string, Behaviour>();
	const behaviourOf = async (index: number, { life, told }: Process): Promise<Behaviour | undefined> => {
		const script = world.lives[index]?.[life];
		if (!script) return undefined;
		const key = JSON.stringify([index, life, told]);
		const behaviour = behaviours.get(key) ?? (await behave(world, `${index + 1}${life + 1}`, script, told));
		behaviours.set(key, behaviour);
		return behaviour;
	};
	const isAtomic = world.lives.length === 1;
	const fresh = (life: number): Process => ({ life, told: [], heard: 0, waits: {} });
	const start: Global = {
		row: [],
		truth: { made: {}, tags: {}, certain: {} },
		kills: world.kills ?? 0,
		fails: world.fails ?? 0,
		processes: world.lives.map(() => fresh(0)),
		late: [],
		images: 0,
	};
	const queue: Array<{ state: Global; from: number; how: string }> = [];
	const seen = new Set<string>();
	const wayTo = (place: number): string => {
		const way: string[] = [];
		for (let at = place; at > 0; at = queue[at]?.from ?? 0) way.unshift(queue[at]?.how ?? '');
		return way.join('\n');
	};
	let broken: string | undefined;
	/** Has the processes go on, hears what they believe, and queues the state if it is new. */
	const visit = async (state: Global, from: number, how: string): Promise<void> => {
		for (const [index, process] of state.processes.entries()) {
			for (let behaviour = await behaviourOf(index, process); behaviour;) {
				for (const belief of behaviour.beliefs.slice(process.heard)) {
					broken ??= judge(state.truth, belief) && `${judge(state.truth, belief)}: ${JSON.stringify(belief)}`;
					if (belief.certain) Object.assign(state.truth.certain, belief.certain);
				}
				process.heard = behaviour.beliefs.length;
				for (const { n, does } of behaviour.operations) {
					if (does !== 'sleep' || process.waits[n]) continue;
					process.waits[n] = [...imagesOf(state)];
				}
				if (!behaviour.hasEnded) break;
				Object.assign(process, fresh(process.life + 1), { image: undefined });
				behaviour = await behaviourOf(index, process);
			}
		}
		const key = JSON.stringify(canonical(state));
		if (seen.has(key) && !broken) return;
		seen.add(key);
		queue.push({ state, from, how });
	};
	await visit(start, -1, 'start');
	for (let place = 0; place < queue.length && !broken; place++) {
		if (queue.length > limit) return { states: queue.length };
		const { state } = queue[place] as (typeof queue)[number];
		const go = async (how: string, change: (next: Global) => void): Promise<void> => {
			if (broken) return;
			const next = structuredClone(state);
			change(next);
			await visit(next, place, how);
			if (broken) broken += `\n${wayTo(queue.length - 1)}`;
		};
		for (const [number, late] of state.late.entries()) {
			await go('a killed process writes late', (next) => {
				next.row = late.row;
				next.late.splice(number, 1);
			});
			await go('a killed process does not write', (next) => void next.late.splice(number, 1));
		}
		for (const [index, process] of state.processes.entries()) {
			const who = 'PQR'[index] ?? '';
			const behaviour = await behaviourOf(index, process);
			const own = (next: Global) => next.processes[index] as Process;
			if (behaviour && state.kills > 0 && process.told.length + (process.image ? 1 : 0) > 0) {
				await go(`${who} is killed`, (next) => {
					const { image } = own(next);
					next.kills--;
					const call = behaviour.operations.find(({ n }) => n === image?.n);
					if (image && call) next.late.push({ at: image.at, row: applied(image.row, call)[0] });
					next.processes[index] = fresh(process.life + 1);
				});
			}
			for (const operation of behaviour?.operations ?? []) {
				const { n } = operation;
				if (operation.does === 'sleep') {
					if (process.waits[n]?.some((at) => [...imagesOf(state)].includes(at))) continue;
					await go(`${who} has waited`, (next) => own(next).told.push([n, 'waited']));
				} else if (operation.does === 'act') {
					for (const end of operation.ends) {
						for (const isMade of end === 'lost' ? [true, false] : [end === 'made']) {
							await go(
								`${who} sends ${operation.id}: ${end}${end === 'lost' ? ` (made: ${isMade})` : ''}`,
								(next) => {
									const { made, tags } = next.truth;
									if (isMade) {
										made[operation.id] = (made[operation.id] ?? 0) + 1;
										tags[operation.id] = [...(tags[operation.id] ?? []), operation.tag];
									}
									own(next).told.push([n, end]);
									const belief = { see: 'acted', id: operation.id };
									broken ??= judge(next.truth, belief);
								},
							);
						}
					}
				} else if (!isAtomic && !process.image) {
					await go(`${who} reads`, (next) => {
						own(next).image = { n, row: next.row, at: next.images++ };
					});
				} else if (isAtomic || process.image?.n === n) {
					const [row, result] = applied(process.image?.row ?? state.row, operation);
					const what = `${who} ${operation.does}s ${operation.keys.join(', ')}`;
					const tell = (next: Global, told: Told[1], isWritten: boolean) => {
						if (isWritten) next.row = row;
						own(next).image = undefined;
						own(next).told.push([n, told]);
					};
					await go(what, (next) => tell(next, result, true));
					for (const isWritten of state.fails > 0 ? [true, false] : []) {
						await go(`${what}, which fails (written: ${isWritten})`, (next) => {
							next.fails--;
							tell(next, 'failed', isWritten);
						});
					}
				}
			}
		}
	}
	return { states: queue.length, ...(broken !== undefined && { broken }) };
}

/** The images of the row that can still be written. */
function imagesOf({ processes, late }: Global): Set<number> {
	return new Set([
		...processes.flatMap(({ image }) => (image ? [image.at] : [])),
		...late.map(({ at }) => at),
	]);
}

/** The row after a call, and what the call says. */
function applied(row: string[], call: Operation): [string[], string[]] {
	if (call.does === 'remove') return [row.filter((key) => !call.keys.includes(key)), []];
	if (call.does !== 'record') return [row, []];
	const all = [...row, ...call.keys.filter((key) => !row.includes(key))];
	return [call.max === undefined ? all : all.slice(-call.max), call.keys.filter((key) => row.includes(key))];
}

/** The state with its images numbered by their order, so that two states that behave alike are the same. */
function canonical(state: Global): unknown {
	const order = [...imagesOf(state)].sort((one, other) => one - other);
	const place = (at: number) => order.indexOf(at);
	return [
		state.row,
		state.truth,
		state.kills,
		state.fails,
		state.late.map(({ at, row }) => [place(at), row]),
		state.processes.map(({ life, told, image, waits }) => [
			life,
			told,
			image && [place(image.at), image.n, image.row],
			Object.entries(waits).map(([n, images]) => [n, images.map(place).filter((at) => at >= 0)]),
		]),
	];
}
