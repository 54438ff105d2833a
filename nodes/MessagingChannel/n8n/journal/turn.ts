import type { Begun, Fact } from './contract';
import { known, tagged, type Encoding, type State } from './encoding';
import type { Mark } from './repair';

/** What one turn at the row is to do. */
export interface Agenda {
	/** No other turn of any process has it. */
	name: string;
	/** Whether another process may use the row. */
	isShared: boolean;
	facts: ReadonlyMap<string, Fact>;
	/** Whether the facts count as begun only if no other process undoes that. */
	waits: boolean;
	/** Keys beside the facts, which stay. */
	notes: readonly string[];
	/** Keys that are only looked for. */
	looks: readonly string[];
	/** Facts that become done. */
	ends: readonly string[];
	/** The tags that stay with them. */
	keptTags: readonly string[];
	/** Facts that were begun, and become open again because another process has undone that. */
	openings: readonly string[];
	/** Notes that are removed for good. */
	erasures: readonly string[];
	/** The marks that no other process can undo any more. */
	due: readonly Mark[];
}

/** The calls to the row of one turn. */
export interface Plan {
	/** Recorded in one call, in this order. */
	keys: string[];
	/** Those of the keys that are removed by a later call, because they have told what they were recorded for. */
	told: string[];
	/** Prove later that the turn was not undone. Not set if nothing of it is repaired. */
	mark: Pick<Mark, 'recorded' | 'removed'> | undefined;
	/** Proves after the wait that the turn was not undone. Not set if nothing waits. */
	proof: string | undefined;
}

/** Plans a turn. Without keys, there is nothing to record. */
export function planOf(agenda: Agenda, encoding: Encoding): Plan {
	const { name, isShared, facts, waits, notes, looks, ends, keptTags, openings, erasures, due } = agenda;
	const written = [...ends, ...openings, ...erasures];
	const isRepaired = isShared && (written.length > 0 || (!waits && facts.size > 0));
	const mark = isRepaired ? { recorded: `wrote ${name}`, removed: `removed ${name}` } : undefined;
	const proof = waits ? `waits ${name}` : undefined;
	const told = [
		...due.flatMap(({ recorded, removed }) => [recorded, removed]),
		...(mark && (ends.length > 0 || erasures.length > 0) ? [mark.removed] : []),
		...(proof === undefined ? [] : [proof]),
	];
	return {
		keys: [
			...ends.map(known),
			...keptTags,
			...told,
			...(mark ? [mark.recorded] : []),
			...notes,
			...looks,
			...[...openings, ...facts.keys()].flatMap(encoding.begun),
		],
		told,
		mark,
		proof,
	};
}

/**
 * What the facts of a turn were before it.
 *
 * @param before which of the keys the row had
 * @param isUndone whether another process has undone the recording, and the turn has waited for that
 * @param isDone what this process has finished, and may have to repair
 */
export function statesOf(
	{ facts, ends }: Agenda,
	before: ReadonlySet<string>,
	isUndone: boolean,
	isDone: (id: string) => boolean,
	encoding: Encoding,
): Map<string, State> {
	const ended = new Set(ends);
	const stateOf = (id: string): State => {
		if (isDone(id) || ended.has(id)) return 'done';
		const state = encoding.stateIn(before, id);
		return state === 'absent' && isUndone ? 'open' : state;
	};
	return new Map([...facts.keys()].map((id) => [id, stateOf(id)]));
}

/** The tags of a turn, by fact: the key of what begins, and what is only looked for, a fact as well. */
export interface TagPlan {
	begun: Map<string, { key: string; keepsTag: boolean }>;
	looks: Map<string, string>;
}

/** Plans the tags of facts: what was absent gets its tag, that of the others is compared. */
export function tagPlanOf({ facts }: Agenda, states: ReadonlyMap<string, State>): TagPlan {
	const plan: TagPlan = { begun: new Map(), looks: new Map() };
	for (const { id, tag, keepsTag = false } of facts.values()) {
		const state = states.get(id);
		if (tag === undefined || (state === 'done' && !keepsTag)) continue;
		const fact = tagged(id, tag);
		if (state === 'absent') plan.begun.set(id, { key: known(fact), keepsTag });
		else plan.looks.set(id, fact);
	}
	return plan;
}

/** What a turn has found out, and the keys that it recorded in vain. */
export function resultOf(
	{ facts, looks, ends }: Agenda,
	before: ReadonlySet<string>,
	states: ReadonlyMap<string, State>,
	tags: TagPlan,
	tagsBefore: ReadonlySet<string>,
	encoding: Encoding,
): { begun: Map<string, Begun>; unneeded: string[] } {
	const same = new Map([...tags.looks].filter(([, tag]) => encoding.stateIn(tagsBefore, tag) === 'done'));
	const recorded = new Set([...facts.keys()].flatMap(encoding.begun));
	return {
		begun: new Map([...states].map(([id, state]) => [id, { state, hasSameTag: same.has(id) }])),
		unneeded: [
			...ends.flatMap((id) => encoding.unneededAfterEnd(before, facts.has(id), id)),
			...[...states.keys()].flatMap((id) => encoding.unneededAfter(before, id)),
			...encoding.unneededAfterLook(tagsBefore, [...tags.looks.values()].flatMap(encoding.tagLook)),
			...encoding.unneededAfterLook(
				before,
				looks.filter((key) => !recorded.has(key)),
			),
		],
	};
}
