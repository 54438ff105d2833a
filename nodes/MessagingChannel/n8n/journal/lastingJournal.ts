import type { Ground, Journal, Policy } from './contract';
import { createJournal } from './journal';
import { CALL_MS } from './repair';

/** A database that fails for longer, about half an hour, stores with the next call what it could not. */
const MAX_PAUSE_MS = 30 * 60 * 1000;

/**
 * Creates the access to a row whose journal lasts as long as the process. No execution settles it: what is finished is checked in
 * the background, so that what another process undoes, or the database fails to store, is written again. `onFailure` is called
 * if that fails for ten seconds.
 *
 * @returns gives the journal to an execution; another process may use the row as soon as one execution says so
 */
export function createLastingJournal(policy: Policy): (ground: Ground) => Journal {
	let latest: Ground | undefined;
	let lasting: Journal | undefined;
	let report: Ground['onFailure'];
	let failure: { error: unknown } | undefined;
	let checks = 0;

	const check = async (journal: Journal, { clock }: Ground): Promise<void> => {
		const own = ++checks;
		for (
			let pauseMs = policy.writesWithinMs;
			pauseMs < MAX_PAUSE_MS;
			pauseMs = Math.max(CALL_MS, 2 * pauseMs)
		) {
			await clock.sleep(pauseMs);
			// What is finished meanwhile has a check of its own, and the call that writes it repairs what came before.
			if (own !== checks) return;
			failure = undefined;
			if (await journal.settle()) return;
			const isFirst = pauseMs === policy.writesWithinMs;
			if (failure && isFirst) report((failure as { error: unknown }).error);
		}
	};

	const create = (ground: Ground): Journal => {
		const journal = createJournal(ground, policy);
		return {
			...journal,
			finish(...ids) {
				journal.finish(...ids);
				void check(journal, ground);
			},
		};
	};

	return ({ onFailure, ...ground }) => {
		report = onFailure;
		latest = Object.assign(latest ?? {}, ground, {
			isShared: ground.isShared || latest?.isShared === true,
			onFailure: (error: unknown) => void (failure = { error }),
		});
		return (lasting ??= create(latest));
	};
}
