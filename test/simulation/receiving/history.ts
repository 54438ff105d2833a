import fc from 'fast-check';

import type { DeploymentSettings } from './deployment';
import { clockOffsetMs, numbers, oneOf, stepsOf, type StepOf, type StepTable } from '../chance/histories';
import { OTHER_N8N_URL, type TriggerVersion } from '../n8n/triggerDatabase';
import { FORGERIES } from '../service/forgeries';
import { EVENT_TYPES, type EventType } from '../service/events';

export interface ReceivingHistory {
	steps: Step[];
	numbers: number[];
	clockOffsetMs: number;
	/** Those of one n8n, and one more of another n8n if there is one. */
	versions: TriggerVersion[];
	deployment: DeploymentSettings;
	/** Another n8n on the same account. */
	otherDeployment?: DeploymentSettings;
}

const version: fc.Arbitrary<TriggerVersion> = fc.record({
	ifWebhookExists: oneOf('fail', 'replace', 'share'),
	events: fc.constantFrom(['message.received'], ['message.received', 'message.sent']),
	timeoutSeconds: oneOf(30, 1),
	combineEvents: oneOf(undefined, 'whenBusy', 'perChat'),
});

/** The last is of the other n8n. */
const workflow = fc.nat(3);

const eventFields = {
	count: fc.integer({ min: 1, max: 3 }),
	isFromMe: oneOf(false, false, false, true),
	type: oneOf(...EVENT_TYPES),
};

const event = fc.record({ do: fc.constant('event' as const), ...eventFields });

/** What a user, a customer or fate does. */
const OFTEN = {
	publish: [4, { workflow }],
	unpublish: [2, { workflow }],
	/** Changes the trigger in the editor. */
	change: [2, { workflow, version }],
	listen: [2, { workflow }],
	cancel: [1, { workflow }],
	event: [6, eventFields],
	forge: [2, { kind: oneOf(...FORGERIES) }],
	kill: [1, { process: fc.nat(5) }],
} satisfies StepTable;

const OTHERS = {
	/** Nobody reaches the service for so long. */
	'cut off': [1, { ms: oneOf(3_000, 60_000) }],
	interfere: [1, { does: oneOf('sets', 'removes') }],
	wait: [5, { ms: oneOf(10, 1_000, 30_000, 700_000) }],
} satisfies StepTable;

/** Rotates the secret, and saves it in the credential so much later; undefined for never. */
const rotate = fc.record(
	{ do: fc.constant('rotate' as const), savedAfterMs: oneOf(1, 5_000) },
	{ requiredKeys: ['do'] },
);

/** One step of a history. */
export type Step =
	| StepOf<Omit<typeof OFTEN, 'event'> & typeof OTHERS>
	| { do: 'rotate'; savedAfterMs?: number }
	| { do: 'event'; count: number; isFromMe: boolean; type?: EventType };

const step: fc.Arbitrary<Step> = fc.oneof(
	...stepsOf(OFTEN),
	{ weight: 1, arbitrary: rotate },
	...stepsOf(OTHERS),
);

/** A process starts again, and meanwhile events come, the secret is rotated, and somebody sends a copy. */
const restart: fc.Arbitrary<Step[]> = fc
	.tuple(event, fc.nat(5), event, fc.boolean())
	.map(([before, process, during, isRotated]): Step[] => [
		before,
		{ do: 'wait', ms: 30_000 },
		{ do: 'kill', process },
		{ do: 'wait', ms: 30_000 },
		during,
		...(isRotated ? [{ do: 'rotate', savedAfterMs: 1 } as const] : []),
		{ do: 'forge', kind: 'replayed' },
		{ do: 'wait', ms: 30_000 },
	]);

/** Long after a rotation, somebody uses the old secret. */
const leak: fc.Arbitrary<Step[]> = event.map((before): Step[] => [
	before,
	{ do: 'wait', ms: 30_000 },
	{ do: 'rotate', savedAfterMs: 1 },
	{ do: 'wait', ms: 700_000 },
	{ do: 'forge', kind: 'signed with an old secret' },
	{ do: 'wait', ms: 1_000 },
]);

const steps = fc.oneof(
	{ weight: 60, arbitrary: step.map((one) => [one]) },
	{ weight: 5, arbitrary: fc.array(restart, { minLength: 1, maxLength: 2 }).map((both) => both.flat()) },
	{ weight: 1, arbitrary: leak },
);

/** An n8n. In queue mode, it has the publication service here. */
export const deployment: fc.Arbitrary<DeploymentSettings> = fc
	.record({
		mode: oneOf('regular', 'regular', 'queue'),
		usesPublicationService: fc.boolean(),
		hashesEvents: oneOf(true, true, false),
		isMortal: fc.boolean(),
	})
	.map((settings) => ({
		...settings,
		usesPublicationService: settings.usesPublicationService || settings.mode === 'queue',
	}));

/** One process, so that the judge need not ask which of the two n8n received an event. */
const asOtherN8n = (settings: DeploymentSettings): DeploymentSettings => ({
	...settings,
	mode: 'regular',
	url: OTHER_N8N_URL,
});

const published = (...workflows: number[]): Step[] => [
	...workflows.map((workflow): Step => ({ do: 'publish', workflow })),
	{ do: 'wait', ms: 30_000 },
];

const BEGINNINGS: [Step[], ...Step[][]] = [
	published(0),
	published(0, 1),
	published(0, 1, 2),
	[{ do: 'interfere', does: 'sets' }, ...published(0, 1)],
	published(3, 0),
];

export const receivingHistory: fc.Arbitrary<ReceivingHistory> = fc.record({
	// First publications, without which little happens.
	steps: fc
		.tuple(oneOf(...BEGINNINGS), fc.array(steps, { minLength: 1, maxLength: 12 }))
		.map(([beginning, parts]): Step[] => [...beginning, ...parts.flat()]),
	numbers: numbers(500),
	clockOffsetMs,
	versions: fc.tuple(version, version, version, version),
	deployment,
	otherDeployment: fc.option(deployment.map(asOtherN8n), { nil: undefined, freq: 1 }),
});
