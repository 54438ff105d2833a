import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { ApiError, messageOf } from '../../api/errors';
import { keyStoreOf, type KeyStore } from '../../n8n/keyStore';
import { placesOf, type Send } from './sendLog';

/**
 * What the retries of one execution have sent. n8n begins each "Retry execution" with the data of the execution that is
 * retried, which tells nothing of other retries of it.
 */
export interface RetriedSends {
	/**
	 * Notes that a send begins.
	 *
	 * @returns what became of it in an earlier retry: `new` when it was not made
	 */
	begin(send: Send): Promise<'new' | 'sent' | 'unconfirmed'>;
	/** Notes that it was made. */
	confirm(send: Send): void;
	/** Notes that it certainly was not made. */
	withdraw(send: Send): void;
	/** Resolves once everything is stored. */
	stored(): Promise<void>;
}

/** Two keys for each of the latest 10,000 sends: about 500 kB. */
const MOST_KEYS = 20_000;

/** Present from the beginning of a send on, unless the send was certainly not made. */
const begunKey = (send: string) => `begun ${send}`;

/** Present while nobody has confirmed the send. n8n killed at any moment leaves it there. */
const openKey = (send: string) => `open ${send}`;

/** All retries of this process share the row of a node, so they use it one after the other. */
let lastUse: Promise<unknown> = Promise.resolve();

/**
 * The sends of the earlier retries of this execution, or undefined when it is not a retry.
 */
export function retriedSendsOf(context: IExecuteFunctions): RetriedSends | undefined {
	const origin = context.getMode() === 'retry' ? originOf(context) : undefined;
	if (origin === undefined) return undefined;
	const store = keyStoreOf(context, MOST_KEYS);
	const { run, keyOf } = placesOf(context);
	const nameOf = (send: Send) => JSON.stringify([origin, run, keyOf(send), send.partitionKey]);
	return createRetriedSends(store, nameOf, (error) =>
		context.logger.warn(`What this retry has sent could not be stored: ${messageOf(error)}`),
	);
}

/** The same for an execution and all retries of it, and for no other execution. */
function originOf(context: IExecuteFunctions): string | undefined {
	const { establishedAt } = context.getExecutionContext() ?? {};
	if (establishedAt === undefined) return undefined;
	// n8n 2.x signs it with a secret of the execution, which its retries share.
	const { resumeUrl } = context.getWorkflowDataProxy(0).$execution as { resumeUrl: string };
	return `${establishedAt} ${new URL(resumeUrl).search}`;
}

function errorOfStore(error: unknown): ApiError {
	return new ApiError({
		message: 'n8n could not say whether an earlier retry has sent this',
		description: `Nothing was sent. Retry the execution again when n8n's database works (${messageOf(error)}).`,
		code: 'database_error',
		httpStatus: null,
		neverSent: true,
	});
}

/** A send that begins, and who waits for what is known of it. */
interface Beginning {
	key: string;
	resolve: (known: 'new' | 'sent' | 'unconfirmed') => void;
	reject: (error: unknown) => void;
}

/**
 * Many sends share one use of the store: all that came while the one before was under way.
 *
 * @param nameOf tells the sends of all executions apart, and is the same in all retries of one
 * @param onFailure told when the end of sends could not be stored: they then count as unconfirmed
 */
function createRetriedSends(
	store: KeyStore,
	nameOf: (send: Send) => string,
	onFailure: (error: unknown) => void,
): RetriedSends {
	let beginnings: Beginning[] = [];
	let removals: string[] = [];
	let isPlanned = false;

	/** Returns the keys that asking has recorded and that are to be removed again. */
	const begin = async (asked: Beginning[]): Promise<string[]> => {
		const reopened: string[] = [];
		try {
			// The row drops its oldest keys first, and a send whose `begun` alone is left counts as made.
			const keys = asked.flatMap(({ key }) => [begunKey(key), openKey(key)]);
			const before = new Set(keys.length > 0 ? await store.record(keys) : []);
			for (const { key, resolve } of asked) {
				const isOpen = before.has(openKey(key));
				const isMade = before.has(begunKey(key)) && !isOpen;
				if (isMade) reopened.push(openKey(key));
				resolve(isOpen ? 'unconfirmed' : isMade ? 'sent' : 'new');
			}
		} catch (error) {
			for (const { reject } of asked) reject(errorOfStore(error));
		}
		return reopened;
	};

	const end = async (keys: string[]): Promise<void> => {
		if (keys.length > 0) await store.remove(keys).catch(onFailure);
	};

	const use = async (): Promise<void> => {
		isPlanned = false;
		const [ended, asked] = [removals, beginnings];
		[removals, beginnings] = [[], []];
		await end(ended);
		await end(await begin(asked));
	};

	const plan = (): void => {
		if (isPlanned) return;
		isPlanned = true;
		lastUse = lastUse.then(use);
	};

	const keyOf = (send: Send): string => createHash('sha256').update(nameOf(send)).digest('base64url');

	const remove = (...keys: string[]): void => {
		removals.push(...keys);
		plan();
	};

	return {
		begin: async (send) =>
			await new Promise((resolve, reject) => {
				beginnings.push({ key: keyOf(send), resolve, reject });
				plan();
			}),
		confirm: (send) => remove(openKey(keyOf(send))),
		withdraw: (send) => remove(begunKey(keyOf(send)), openKey(keyOf(send))),
		stored: async () => void (await lastUse),
	};
}
