import type { ICredentialDataDecryptedObject, ITriggerFunctions } from 'n8n-workflow';

import { nodeKeyOf } from '../../n8n/nodeKey';
import { accountIn, type Account } from '../account/account';
import { clock } from '../account/clock';

/** Keeps what a trigger that fetches messages did last, with its account. */
export interface FetchNote {
	/** Names the account that is asked. */
	begin(credential: ICredentialDataDecryptedObject): void;
	/** Keeps how a look for messages ended. */
	keep(left: number, problem: string | undefined): void;
	/** Forgets the trigger, because n8n ends it. */
	end(): void;
}

export function createFetchNote(context: ITriggerFunctions, isPolling: boolean): FetchNote {
	const key = nodeKeyOf(context);
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
			const workflow = context.getWorkflow().name;
			account?.fetches.set(key, { workflow, isPolling, at: clock.elapsed(), left, problem });
		},
		end() {
			hasEnded = true;
			forget();
		},
	};
}
