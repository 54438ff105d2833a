import { NodeHelpers } from 'n8n-workflow';

import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';
import { caseRun } from '../support/engine/caseRun';
import { useEngine } from '../support/engine/engine';
import { nodeOf } from '../support/engine/workflow';
import { operations } from '../support/operations';
import { expectedParts, partsOf, seedService } from '../support/operations/expectations';
import { readSaved, releases } from '../support/upgrade/saved';

const engine = useEngine();
const { description } = new MessagingChannel();

describe.each(releases())('what was saved with %s still makes the service receive the same', (release) => {
	const saved = Object.entries(readSaved(release, 'operations'));

	test('of every operation', () => {
		const names = saved.map(([name]) => name.replace(/,.*/, ''));
		expect(new Set(names).size).toBeGreaterThanOrEqual(53);
	});

	test.each(saved)('%s', async (name, { parameters, requests }) => {
		// What was as the panel had it at first is not saved.
		const all = NodeHelpers.getNodeParameters(
			description.properties,
			parameters,
			true,
			false,
			nodeOf(name),
			description,
		);
		const cases = operations.find(
			({ resource, operation }) => resource === all?.resource && operation === all.operation,
		);
		if (!cases || !all) throw new Error('There is no such operation');
		await seedService(engine.service, cases);
		const { input } = (name.endsWith(', all fields') && cases.full) || cases.minimal;

		const { error } = await engine.run(caseRun(cases, { parameters: all, input }));

		expect(error).toBeUndefined();
		expect((await engine.requests()).map(partsOf)).toEqual(requests.map(expectedParts));
	});
});
