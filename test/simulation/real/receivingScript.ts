import fc from 'fast-check';

import { choicesFrom } from '../chance/choices';
import { receivingHistory, type ReceivingHistory, type Step } from '../receiving/history';
import type { TriggerVersion } from '../n8n/triggerDatabase';
import type { DeliveryConduct, SampleConduct } from '../service/events';
import type { Fate } from './faults';
import { fatesFrom, sampleScripts, segmentsOf } from './segments';

/** A customer's messages, and what the service does with their events. */
type EventStep = Extract<Step, { do: 'event' }> & { conduct: DeliveryConduct };

/** So often the service delivers an event that n8n does not accept. */
export const ATTEMPTS = 6;

/** So long the service waits before it delivers an event again, doubled each time. */
export const FIRST_BACKOFF_MS = 500;

/** How long a workflow runs after its trigger, so that a kill finds something under way. */
export const WORKFLOW_MS = 3_000;

export type ScriptStep = Exclude<Step, { do: 'event' | 'wait' | 'kill' }> | EventStep;

/** A part of a history, after which everything is over or n8n is killed. */
export interface ReceivingSegment {
	steps: ScriptStep[];
	/** What becomes of the requests to an endpoint, such as `GET /webhooks`, in their order; of later ones nothing. */
	fates: Record<string, Fate[]>;
	sample: SampleConduct;
	isKilled: boolean;
}

/** A history that a real n8n and a simulated one can go through, with only the time left to chance. */
export interface ReceivingScript {
	segments: ReceivingSegment[];
	clockOffsetMs: number;
	versions: TriggerVersion[];
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

const SAMPLES: readonly [SampleConduct['sent'], ...Array<SampleConduct['sent']>] = [
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

/** The fourth workflow is of another n8n. */
const WORKFLOWS = [0, 1, 2];

/** What needs another n8n, another account or minutes is left to the simulation, and forged lists of receivers. */
function isPlayable(step: Step): boolean {
	if ('workflow' in step) return WORKFLOWS.includes(step.workflow);
	if (step.do === 'forge') return ['guessed', 'bare', 'changed', 'replayed'].includes(step.kind);
	return !['switch account', 'mistype', 'cut off'].includes(step.do);
}

/** All of a simulated history but its times: chance decides what goes wrong in a segment. */
function scriptOf(
	{ steps, clockOffsetMs, versions, deployment }: ReceivingHistory,
	numbers: readonly number[],
): ReceivingScript {
	const choices = choicesFrom(numbers);
	const segments = segmentsOf(steps.filter(isPlayable), (own) => own.length > 0).map(
		({ steps: own, isKilled }): ReceivingSegment => {
			const scripted = own.map((step): ScriptStep => {
				if (step.do === 'event') {
					const { do: what, count, isFromMe } = step;
					const copies = choices.oneOf([1, 1, 2, 3]);
					return { do: what, count, isFromMe, conduct: { copies, isRepeated: choices.rarely(4) } };
				}
				return step.do === 'change' ? { ...step, version: unhurried(step.version) } : step;
			});
			// A test that nobody ends would last two minutes.
			const listening = WORKFLOWS.filter((workflow) =>
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
		versions: WORKFLOWS.map((workflow) => unhurried(versions[workflow] as TriggerVersion)),
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
