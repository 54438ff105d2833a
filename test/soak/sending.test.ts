import type { Fault } from '../support/service/core/control';
import { watchEmptyWindow } from '../support/engine/emptyWindow';
import { byRecipient, CONTINUES, person, useEngine } from '../support/engine/engine';
import { MUST_BE_ACCEPTED, outcomeOf, type Outcome } from '../support/engine/outcomes';

const engine = useEngine();

const SENDS = 10_000;
const RECIPIENTS = 2_000;

/** The share of sends that each fault hits, and whether the service has taken them by then. */
const faults: Fault[] = [
	{ kind: 'status', status: 500, probability: 0.1 },
	{ kind: 'reset', probability: 0.05, when: 'before' },
	{ kind: 'status', status: 504, probability: 0.01, when: 'before' },
	{ kind: 'reset', probability: 0.05, when: 'after' },
	{ kind: 'status', status: 504, probability: 0.01, when: 'after' },
];

/** The waits before the looks for an unconfirmed message; all others are for the rate window. */
const LOOKS_MS = new Set([1000, 2000, 4000]);

test(`${SENDS} sends through a bad day: nothing twice, nothing silently lost`, async () => {
	const { control } = engine.service;
	// 500 per second would never be reached: 25 sends at a time, of which some are looked for over 7 s, are some 30.
	await control.setRateLimit({ limit: 500, windowSeconds: 20 });
	for (const [seed, fault] of faults.entries()) {
		await control.addFault({ ...fault, operationId: 'message.send', seed: seed + 1 });
	}
	const items = Array.from({ length: SENDS }, (_, number) => ({
		to: `${person(number % RECIPIENTS)}@c.us`,
		message: `Message ${number}`,
	}));
	const watch = watchEmptyWindow();
	const begun = Date.now();

	const { output, clock } = await engine.run({ items, node: CONTINUES, watch });

	const seconds = (Date.now() - begun) / 1000;
	const accepted = await control.accepted();
	const requests = await engine.requests();
	const isAccepted = new Set(accepted.map(({ body }) => body));

	const table: Record<string, { items: number; accepted: number }> = {};
	const lies: unknown[] = [];
	for (const [index, { json }] of output.entries()) {
		const outcome: Outcome = outcomeOf(json);
		const was = isAccepted.has(items[index]?.message ?? '');
		const row = (table[outcome] ??= { items: 0, accepted: 0 });
		row.items++;
		if (was) row.accepted++;
		const must = MUST_BE_ACCEPTED[outcome];
		if (must !== undefined && must !== was) lies.push({ index, outcome, was });
	}
	console.table(table);
	console.table({
		'sends that arrived': requests.filter(({ operationId }) => operationId === 'message.send').length,
		'messages accepted': accepted.length,
		'requests in all': requests.length,
		'requests refused (429)': requests.filter(({ status }) => status === 429).length,
		'waits for the window': clock.waits.filter((ms) => !LOOKS_MS.has(ms)).length,
		'requests into an empty window': watch.sentIntoEmpty,
		'seconds of the machine': Math.round(seconds),
		'seconds skipped': Math.round(clock.skippedMs / 1000),
	});

	// Nothing twice.
	expect(accepted).toHaveLength(isAccepted.size);
	// Nothing silently lost: one output for each item, and each tells the truth.
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	expect(lies).toEqual([]);
	// In order.
	for (const [to, texts] of Object.entries(byRecipient(accepted))) {
		const own = items.filter((item) => item.to === to).map(({ message }) => message);
		expect(texts).toEqual(own.filter((message) => isAccepted.has(message)));
	}
	expect(watch.sentIntoEmpty).toBe(0);
	// All that the service took although nobody said so was found.
	expect(table.ambiguous?.accepted).toBe(0);
});
