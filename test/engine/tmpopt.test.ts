
import type { AllItems } from '../../nodes/MessagingChannel/operation/operation';
import type { FaultEffect } from '../support/service/control';
import { CONTINUES, person, toEach, useEngine } from '../support/engine/engine';
import { stored } from '../support/engine/run';

const engine = useEngine();

const TAG = 'unsubscribed';
const SKIPS = { skipTags: [TAG] };

/** Gives people the tag. */
const optOut = async (phones: string[], tag = TAG) => {
	await engine.service.control.seed({
		tags: [{ name: tag }],
		contacts: phones.map((phone) => ({ phone, tags: ['vip', tag] })),
	});
};

const recipientsReached = async () =>
	(await engine.service.control.accepted()).map(({ to }) => to.replace(/@c\.us$/, ''));

const skipped = (to: string, item: number, reason = `The contact has the tag '${TAG}'`) => ({
	json: { skipped: true, reason, to },
	pairedItem: { item },
});

const numbered = (count: number, from = 0) =>
	Array.from({ length: count }, (_, index) => person(from + index));

test('of many recipients, those who opted out get nothing, and each says why', async () => {
	const items = toEach(10_000);
	const out = items.filter((_, index) => index % 20 === 7).map(({ to }) => to);
	await optOut(out);

	const { output, error } = await engine.run({ items, options: SKIPS });

	expect(error).toBeUndefined();
	const reached = await recipientsReached();
	expect(reached).toHaveLength(9_500);
	expect(reached.filter((to) => out.includes(to))).toEqual([]);
	expect(output).toHaveLength(10_000);
	expect(output.filter(({ json }) => json.skipped)).toEqual(
		items.flatMap(({ to }, index) => (out.includes(to) ? [skipped(to, index)] : [])),
	);
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	expect(await engine.requests('contact.getAll')).toHaveLength(10);
});
