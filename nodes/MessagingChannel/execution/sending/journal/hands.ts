import { stoppedError } from '../../../api/errors';
import type { KnownState, SendState } from './nodeSends';

/** Lets others have a fact, with what is known of it now. */
export type LetGo = (state: KnownState | undefined) => void;

/** What an execution has in its hands: facts whose sends nobody else may make meanwhile. */
export interface Hands {
	/**
	 * Resolves when a fact that somebody has may be free; undefined if nobody has it. Rejects when the user stops this execution, unless
	 * it has the fact itself, which ends with it.
	 */
	whenFree(id: string): Promise<void> | undefined;
	/** Takes a fact that nobody has. Returns what is known of it. */
	take(id: string): KnownState | undefined;
	/** Keeps a fact that nobody has from others while it is begun. */
	reserve(id: string): LetGo;
	/** Lets others have a fact that was taken. */
	letGo(id: string, state: KnownState | undefined): void;
}

/** Creates the hands of an execution, which are empty. */
export function createHands(states: Map<string, SendState>, cancelled: AbortSignal | undefined): Hands {
	const held = new Map<string, LetGo>();
	const stopped = new Promise<never>((_, reject) => {
		cancelled?.addEventListener('abort', () => reject(stoppedError()));
	});
	stopped.catch(() => undefined);

	const reserve = (id: string): LetGo => {
		let end = () => {};
		const ended = new Promise<void>((resolve) => (end = resolve));
		states.set(id, { kind: 'busy', ended });
		return (state) => {
			if (state) states.set(id, state);
			else states.delete(id);
			end();
		};
	};

	return {
		whenFree(id) {
			const known = states.get(id);
			if (known?.kind !== 'busy') return undefined;
			return held.has(id) ? known.ended : Promise.race([known.ended, stopped]);
		},
		take(id) {
			const known = states.get(id);
			held.set(id, reserve(id));
			return known?.kind === 'busy' ? undefined : known;
		},
		reserve,
		letGo(id, state) {
			held.get(id)?.(state);
			held.delete(id);
		},
	};
}
