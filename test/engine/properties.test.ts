import fc from 'fast-check';

import type { Fault } from '../support/service/core/control';
import { phoneOfChat } from '../support/service/core/phone';
import { watchEmptyWindow } from '../support/engine/emptyWindow';
import { CONTINUES, person, useEngine } from '../support/engine/engine';
import { MUST_BE_ACCEPTED, outcomeOf } from '../support/engine/outcomes';

const engine = useEngine();

const recipient = fc
	.tuple(fc.nat({ max: 5 }), fc.constantFrom('digits', 'plus', 'chat'))
	.map(([number, form]) => {
		const digits = person(number);
		return form === 'digits' ? digits : form === 'plus' ? `+${digits}` : `${digits}@c.us`;
	});

const kind: fc.Arbitrary<Fault> = fc.constantFrom<Fault>(
	{ kind: 'status', status: 500 },
	{ kind: 'status', status: 503, when: 'after' },
	{ kind: 'status', status: 504, when: 'after' },
	{ kind: 'status', status: 400 },
	{ kind: 'status', status: 429 },
	{ kind: 'status', status: 429, headers: { 'X-RateLimit-Reset': '', 'X-RateLimit-Remaining': '' } },
	{ kind: 'reset' },
	{ kind: 'reset', when: 'after' },
	{ kind: 'html', status: 502, when: 'after' },
	{ kind: 'bad-json' },
	{ kind: 'delay', ms: 3 },
);

const fault = fc
	.record({
		fault: kind,
		probability: fc.constantFrom(0.05, 0.2, 0.5),
		seed: fc.nat(),
		operationId: fc.constantFrom('message.send', 'message.send', undefined),
	})
	.map(({ fault: effect, operationId, ...rest }): Fault => ({
		...effect,
		...rest,
		...(operationId ? { operationId } : {}),
	}));

const scenario = fc.record({
	recipients: fc.array(recipient, { minLength: 1, maxLength: 40 }),
	faults: fc.array(fault, { maxLength: 3 }),
	maxConcurrency: fc.integer({ min: 1, max: 30 }),
	rateLimit: fc.record({
		limit: fc.integer({ min: 3, max: 60 }),
		windowSeconds: fc.integer({ min: 1, max: 20 }),
	}),
	tries: fc.integer({ min: 1, max: 3 }),
	sameText: fc.boolean(),
});

const digitsOf = (to: unknown) => phoneOfChat(String(to).replace('+', ''));

test('whatever happens: in order, never twice, never lost, never into an exhausted rate limit', async () => {
	await fc.assert(
		fc.asyncProperty(scenario, async ({ recipients, faults, maxConcurrency, rateLimit, tries, sameText }) => {
			const { control } = engine.service;
			await engine.reset();
			await control.setRateLimit(rateLimit);
			for (const each of faults) await control.addFault(each);
			const items = recipients.map((to, number) => ({ to, message: sameText ? 'Hello' : `Text ${number}` }));
			const watch = watchEmptyWindow();
			const options = { items, node: CONTINUES, options: { maxConcurrency }, watch };

			let last = await engine.run(options);
			// n8n tries again only when something failed.
			for (let count = 1; count < tries && last.output.some(({ json }) => json.error); count++) {
				last = await engine.run({ ...options, execution: last.execution });
			}

			// Every item has exactly one output entry, in the order of the items.
			expect(last.output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
			expect(watch.sentIntoEmpty).toBe(0);

			expect((await engine.requests()).map(({ status }) => status)).not.toContain(401);
			const accepted = await control.accepted();
			for (const number of new Set(recipients.map(digitsOf))) {
				const own = items.flatMap(({ to, message }, index) =>
					digitsOf(to) === number ? [{ message, outcome: outcomeOf(last.output[index]?.json ?? {}) }] : [],
				);
				const arrived = accepted.filter(({ to }) => digitsOf(to) === number).map(({ body }) => body);
				const certain = own.filter(({ outcome }) => MUST_BE_ACCEPTED[outcome] === true).length;
				const possible = own.filter(({ outcome }) => MUST_BE_ACCEPTED[outcome] !== false).length;

				expect(arrived.length).toBeGreaterThanOrEqual(certain);
				expect(arrived.length).toBeLessThanOrEqual(possible);
				if (sameText) continue;
				expect(new Set(arrived).size).toBe(arrived.length);
				for (const { message, outcome } of own) {
					const must = MUST_BE_ACCEPTED[outcome];
					if (must !== undefined) expect([outcome, arrived.includes(message)]).toEqual([outcome, must]);
				}
				// A later try sends what an earlier one could not, so only one try keeps the order of all.
				if (tries === 1) {
					const inOrder = own.map(({ message }) => message).filter((message) => arrived.includes(message));
					expect(arrived).toEqual(inOrder);
				}
			}
		}),
		{ numRuns: 60 },
	);
});
