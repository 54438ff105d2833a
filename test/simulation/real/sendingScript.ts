import fc from 'fast-check';

import { phoneOfChat } from '../../support/service/core/phone';
import { choicesFrom } from '../chance/choices';
import { sendingHistory, type SendingHistory, type Step } from '../sending/sending';
import type { SendSettings, WantedSend } from '../sending/executions';
import type { Fate } from './faults';
import { fatesFrom, sampleScripts, segmentsOf } from './segments';

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

/** All of a simulated history but its times: chance decides what goes wrong in a segment. */
function scriptOf({ steps, clockOffsetMs }: SendingHistory, numbers: readonly number[]): SendingScript {
	const choices = choicesFrom(numbers);
	const texts: string[] = [];
	// Nothing can be retried in the first segment.
	const isStart = ({ do: what }: Step, index: number) => what === 'run' || (what === 'retry' && index > 0);
	const cut = segmentsOf(steps, (own, index) => own.some((step) => isStart(step, index)));
	const segments = cut.map(({ steps: own, isKilled }, index): Segment => {
		const starts: Start[] = [];
		for (const step of own) {
			if (step.do === 'run') {
				// Faults are by text, so that each needs one of its own.
				const items = (step.runs[0] ?? []).map(({ to }, item) => ({
					to: phoneOfChat(to),
					text: `Text ${texts.length + item}`,
				}));
				starts.push({ items, settings: { ...step.settings, kind: 'text', isTool: false } });
				texts.push(...items.map(({ text }) => text));
			} else if (step.do === 'retry' && index > 0) starts.push({ retry: step.which });
		}
		const isConnected = !own.some((step) => step.do === 'disconnect');
		return {
			starts,
			isConnected,
			isLost: choices.rarely(3),
			// The reference service refuses before it fails.
			fates: isConnected
				? Object.fromEntries(texts.map((text) => [text, fatesFrom(choices, FAULTS, [2, 4], isKilled)]))
				: {},
			isKilled,
		};
	});
	return { segments, clockOffsetMs };
}

/** What is retried has failed before, and short histories take seconds in a real n8n. */
const isWorthwhile = ({ segments }: SendingScript) =>
	segments.length <= 4 && segments.some(({ starts }) => starts.some((start) => 'retry' in start));

const sendingScript: fc.Arbitrary<SendingScript> = fc
	.tuple(sendingHistory, fc.array(fc.nat(1_000_000), { minLength: 100, maxLength: 100 }))
	.map(([history, numbers]) => scriptOf(history, numbers))
	.filter(isWorthwhile);

/** Histories of a seed, always the same ones. */
export const sendingScripts = (seed: number, count: number): SendingScript[] =>
	sampleScripts(sendingScript, seed, count);
