import fc from 'fast-check';

import { choicesFrom } from '../choices';
import { sendingHistory, type SendingHistory } from '../sending';
import type { SendSettings, WantedSend } from '../sendingProcess';
import type { Fate } from './faults';

/** What the user begins: a run, or a retry of one of the executions that did not succeed. */
export type Start = { items: WantedSend[]; settings: SendSettings } | { retry: number };

/** A part of a history, after which everything is over or n8n is killed. */
export interface Segment {
	starts: Start[];
	isConnected: boolean;
	/** Whether the channel loses what the service takes. */
	isLost: boolean;
	/** What becomes of the requests that send a text, in their order; of later ones nothing unusual. */
	fates: Record<string, Fate[]>;
	isKilled: boolean;
}

/** A history that a real n8n and a simulated one can go through, with only the time left to chance. */
export interface SendingScript {
	segments: Segment[];
	clockOffsetMs: number;
}

const ARRIVES: Fate = 'arrives';

/** Those whose outcome is there at once. */
const FAULTS: readonly [Fate, ...Fate[]] = [
	'is reset before it arrives',
	'is reset after it arrived',
	'meets a 503',
	'meets a 401',
	'fails before it is taken',
	'fails after it was taken',
	'times out after it was taken',
];

/** Those that n8n waits for until it is killed. */
const SILENCES: readonly [Fate, ...Fate[]] = ['loses its response', 'gets lost'];

/** Of a history of the simulation all but its times: waits end a segment, and chance decides what goes wrong in it. */
function scriptOf({ steps, clockOffsetMs }: SendingHistory, numbers: readonly number[]): SendingScript {
	const choices = choicesFrom(numbers);
	const segments: Segment[] = [];
	const texts: string[] = [];
	let starts: Start[] = [];
	let isConnected = true;

	const fates = (isKilled: boolean): Fate[] => {
		const faults = isKilled ? ([...SILENCES, ...FAULTS] as const) : FAULTS;
		return [2, 4].map((times) => (choices.rarely(times) ? choices.oneOf(faults) : ARRIVES));
	};
	const end = (isKilled: boolean): void => {
		if (starts.length === 0) return;
		segments.push({
			starts,
			isConnected,
			isLost: choices.rarely(3),
			// The reference service refuses before it fails.
			fates: isConnected ? Object.fromEntries(texts.map((text) => [text, fates(isKilled)])) : {},
			isKilled,
		});
		starts = [];
		isConnected = true;
	};

	for (const step of steps) {
		if (step.do === 'run') {
			// Faults are by text, so that each needs one of its own.
			const items = (step.runs[0] ?? []).map(({ to }, item) => ({ to, text: `Text ${texts.length + item}` }));
			starts.push({ items, settings: { ...step.settings, kind: 'text', isTool: false } });
			texts.push(...items.map(({ text }) => text));
		} else if (step.do === 'retry' && segments.length > 0) starts.push({ retry: step.which });
		else if (step.do === 'disconnect') isConnected = false;
		else if (step.do === 'wait') end(false);
		else if (step.do === 'kill') end(true);
	}
	end(false);
	return { segments, clockOffsetMs };
}

/** What is retried has failed before, and short histories take seconds in a real n8n. */
const isWorthwhile = ({ segments }: SendingScript) =>
	segments.length <= 4 && segments.some(({ starts }) => starts.some((start) => 'retry' in start));

const sendingScript: fc.Arbitrary<SendingScript> = fc
	.tuple(sendingHistory, fc.array(fc.nat(1_000_000), { minLength: 100, maxLength: 100 }))
	.map(([history, numbers]) => scriptOf(history, numbers))
	.filter(isWorthwhile);

/** n8n is killed in more than half of them. */
const anyScript = fc.oneof(
	sendingScript,
	sendingScript.filter(({ segments }) => segments.some(({ isKilled }) => isKilled)),
);

/** Histories of a seed, always the same ones. */
export const sendingScripts = (seed: number, count: number): SendingScript[] =>
	fc.sample(anyScript, { seed, numRuns: count });
