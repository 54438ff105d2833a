import fc from 'fast-check';

import { choicesFrom } from '../choices';
import { receivingHistory, type ReceivingHistory, type Step } from '../receiving';
import type { TriggerVersion } from '../triggerDatabase';
import type { Fate } from './faults';
import { fatesFrom, sampleScripts, segmentsOf } from './segments';

/** A customer's messages, and what the real service does with their events; the simulated one may do all of it. */
type EventStep = Extract<Step, { do: 'event' }> & {
	/** How often each is delivered at the same moment. */
	copies: number;
	/** Whether each is delivered again after n8n has accepted it. */
	isRepeated: boolean;
};

export type ScriptStep = Exclude<Step, { do: 'event' | 'wait' | 'kill' }> | EventStep;

/** How the real service sends its sample. */
type Sample = { sent: 'before-answer' | 'never' | { afterMs: number }; named: boolean };

/** A part of a history, after which everything is over or n8n is killed. */
export interface ReceivingSegment {
	steps: ScriptStep[];
	/** What becomes of the requests to an endpoint, such as `GET /webhooks`, in their order; of later ones nothing. */
	fates: Record<string, Fate[]>;
	sample: Sample;
	isKilled: boolean;
}

/** A history that a real n8n and a simulated one can go through, with only the time left to chance. */
export interface ReceivingScript {
	segments: ReceivingSegment[];
	clockOffsetMs: number;
	versions: [TriggerVersion, TriggerVersion];
	usesPublicationService: boolean;
}

const ENDPOINTS = [
	'GET /webhooks',
	'POST /webhooks',
	'DELETE /webhooks',
	'POST /webhooks/test',
	'GET /account',
];

const FAULTS: readonly [Fate, ...Fate[]] = [
	'is reset before it arrives',
	'is reset after it arrived',
	'meets a 503',
	'fails before it is taken',
	'fails after it was taken',
];

const SAMPLES: readonly [Sample['sent'], ...Array<Sample['sent']>] = [
	'before-answer',
	{ afterMs: 50 },
	{ afterMs: 1_000 },
	'never',
];

/** What depends on time is left to the simulation: a response within one second, and events that wait for others. */
const unhurried = ({ timeoutSeconds, ifWebhookExists, events }: TriggerVersion): TriggerVersion => ({
	ifWebhookExists,
	events,
	timeoutSeconds: timeoutSeconds === 1 ? 20 : timeoutSeconds,
});

/** Of a history of the simulation all but its times: chance decides what goes wrong in a segment. */
function scriptOf(
	{ steps, clockOffsetMs, versions, deployment }: ReceivingHistory,
	numbers: readonly number[],
): ReceivingScript {
	const choices = choicesFrom(numbers);
	// What was recorded is stale only after minutes.
	const playable = steps.filter((step) => step.do !== 'forge' || step.kind !== 'stale');
	const segments = segmentsOf(playable, (own) => own.length > 0).map(
		({ steps: own, isKilled }): ReceivingSegment => {
			const scripted = own.map((step): ScriptStep => {
				if (step.do === 'event')
					return { ...step, copies: choices.oneOf([1, 1, 2, 3]), isRepeated: choices.rarely(4) };
				return step.do === 'change' ? { ...step, version: unhurried(step.version) } : step;
			});
			// A test that nobody ends would last two minutes.
			const listening = [0, 1].filter((workflow) =>
				own.some((step) => step.do === 'listen' && step.workflow === workflow),
			);
			const cancels = listening.map((workflow): ScriptStep => ({ do: 'cancel', workflow }));
			return {
				steps: isKilled ? scripted : [...scripted, ...cancels],
				fates: Object.fromEntries(
					ENDPOINTS.map((endpoint) => [endpoint, fatesFrom(choices, FAULTS, [4, 8, 8], isKilled)]),
				),
				sample: { sent: choices.oneOf(SAMPLES), named: !choices.rarely(4) },
				isKilled,
			};
		},
	);
	return {
		segments,
		clockOffsetMs,
		versions: versions.map(unhurried) as [TriggerVersion, TriggerVersion],
		usesPublicationService: deployment.usesPublicationService,
	};
}

/** Something is received, and short histories take seconds in a real n8n. */
const isWorthwhile = ({ segments }: ReceivingScript) =>
	segments.length >= 2 &&
	segments.length <= 5 &&
	segments.slice(1).some(({ steps }) => steps.some((step) => step.do === 'event'));

const receivingScript: fc.Arbitrary<ReceivingScript> = fc
	.tuple(receivingHistory, fc.array(fc.nat(1_000_000), { minLength: 200, maxLength: 200 }))
	.map(([history, numbers]) => scriptOf(history, numbers))
	.filter(isWorthwhile);

/** Histories of a seed, always the same ones, for an n8n with its publication service or without. */
export const receivingScripts = (
	seed: number,
	count: number,
	usesPublicationService: boolean,
): ReceivingScript[] =>
	sampleScripts(receivingScript, seed, count).map((script) => ({ ...script, usesPublicationService }));
