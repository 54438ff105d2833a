import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { accountIn, type Account } from '../account/account';
import { clock } from '../account/clock';
import type { TriggerNode } from '../delivery/trigger';

/** Keeps what a trigger that fetches messages did last, with its account. */
export interface FetchNote {
	/** Names the account that is asked. */
	begin(credential: ICredentialDataDecryptedObject): void;
	/** Keeps how a look for messages ended. */
	keep(left: number, problem: string | undefined): void;
	/** Forgets the trigger, because n8n ends it. */
	end(): void;
}

export function createFetchNote(
	{ key, workflow }: Pick<TriggerNode, 'key' | 'workflow'>,
	isPolling: boolean,
): FetchNote {
	let account: Account | undefined;
	let hasEnded = false;
	const forget = () => void account?.fetches.delete(key);
	return {
		begin(credential) {
			const current = accountIn(credential);
			if (current !== account) forget();
			account = current;
		},
		keep(left, problem) {
			// A look that was under way ends later.
			if (hasEnded) return;
			account?.fetches.set(key, { workflow: workflow.name, isPolling, at: clock.elapsed(), left, problem });
		},
		end() {
			hasEnded = true;
			forget();
		},
	};
}
