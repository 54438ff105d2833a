import type { SendingOutcome } from './sending';
import { takenAs, type ItemReport, type StoredExecution, type WantedSend } from './executions';
import type { TakenRequest } from '../service/service';

/** An execution with all of its retries. */
export interface Family {
	executions: StoredExecution[];
	groups: Group[];
}

/** The items of a family that ask for the same, which nobody can tell apart, and what the service took for them. */
export interface Group {
	family: StoredExecution[];
	kind: TakenRequest['kind'];
	to: string;
	text: string;
	/** How often it is wanted. An agent gets each message once, however often it asks for it. */
	wanted: number;
	/** In the order in which they were sent. */
	taken: TakenRequest[];
}

export function familiesOf({ executions, service }: SendingOutcome): Family[] {
	return [...new Set(executions.map(({ origin }) => origin))].map((origin) => {
		const family = executions.filter((execution) => execution.origin === origin);
		const [{ settings }] = family as [StoredExecution];
		const ids = new Set(family.map(({ id }) => id));
		const sent = service.taken
			.filter(({ from }) => ids.has(from?.execution ?? ''))
			.sort((one, other) => sentAtOf(one) - sentAtOf(other));
		const groups = new Map<string, Group>();
		/** The places of the items that ask for the same. The user may have corrected the recipients of a retry. */
		const places = new Set<string>();
		for (const items of new Set(family.map((execution) => execution.runs))) {
			for (const [place, item] of placed(items)) {
				const { to, text } = takenAs(settings.kind, item);
				const key = JSON.stringify([to, text]);
				const known = groups.get(key);
				if (known && !settings.isTool && !places.has(`${place} ${key}`)) known.wanted++;
				places.add(`${place} ${key}`);
				if (known) continue;
				const taken = sent.filter(({ kind, ...one }) => kind === settings.kind && isSame(one, { to, text }));
				groups.set(key, { family, kind: settings.kind, to, text, wanted: 1, taken });
			}
		}
		return { executions: family, groups: [...groups.values()] };
	});
}

export const placed = (runs: StoredExecution['runs']) =>
	runs.flatMap((items, run) => items.map((item, index) => [`${run}.${index}`, item] as const));

export const sentAtOf = ({ from }: TakenRequest) => from?.sentAt ?? 0;

export const isSame = (one: WantedSend, other: WantedSend) => one.to === other.to && one.text === other.text;

export const titleOf = ({ kind, to, text, family: [first] }: Group) =>
	`${kind} '${text}' to ${to} of execution ${first?.id}`;

/** An item of the execution; all calls of a tool with one message are the same. */
export function slotOf({ isTool }: StoredExecution['settings'], { run, itemIndex }: ItemReport): string {
	return isTool ? 'of the tool' : `${run}.${itemIndex}`;
}

/** The latest report about each item that asks for what the group wants. */
export function reportsIn({ settings, runs, reports }: StoredExecution, { to, text }: Group): ItemReport[] {
	const bySlot = new Map<string, ItemReport>();
	for (const report of reports) {
		const item = runs[report.run]?.[report.itemIndex];
		if (!item || !isSame(takenAs(settings.kind, item), { to, text })) continue;
		const slot = slotOf(settings, report);
		// Calls of a tool at the same time end in any order, and each tells of its own request.
		if (!settings.isTool || bySlot.get(slot)?.says !== 'sent') bySlot.set(slot, report);
	}
	return [...bySlot.values()];
}
