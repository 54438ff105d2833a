import type { Ground, Journal, Policy } from './contract';
import { createJournal } from './journal';
import { CALL_MS } from './repair';

/**
 * Creates the access to a row whose journal lasts as long as the process. No execution settles it: what is finished is checked in
 * the background, so that what another process undoes, or the database fails to store, is written again.
 *
 * @returns gives the journal to an execution; another process may use the row as soon as one execution says so
 */
export function createLastingJournal(policy: Policy): (ground: Ground) => Journal {
	let latest: Ground | undefined;
	let lasting: Journal | undefined;
	let isDue = false;
	let isChecking = false;

	const check = async (journal: Journal, { clock }: Ground): Promise<void> => {
		isDue = true;
		if (isChecking) return;
		isChecking = true;
		while (isDue) {
			isDue = false;
			await clock.sleep(CALL_MS);
			await journal.settle();
		}
		isChecking = false;
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

	return (ground) => {
		latest = Object.assign(latest ?? {}, ground, {
			isShared: ground.isShared || latest?.isShared === true,
		});
		return (lasting ??= create(latest));
	};
}
