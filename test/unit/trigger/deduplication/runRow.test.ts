import type { IExecuteFunctions } from 'n8n-workflow';

import { runStoreOf } from '../../../../nodes/MessagingChannel/trigger/deduplication/runRow';
import { keyRowHelpers, newKeyRow } from '../../../support/engine/keyRow';

test('the latest 10,000 keys are kept for the workflow, and a look-up of as many pushes none of them out', async () => {
	const row = newKeyRow();
	const helpers = keyRowHelpers(newKeyRow(), row) as unknown as IExecuteFunctions['helpers'];
	const { kept, lookUp } = runStoreOf({ helpers });
	const keys = (name: string) => Array.from({ length: 10_000 }, (_, index) => `${name} ${index}`);

	await kept.record(['oldest', ...keys('ran')]);
	expect(row.keys).toEqual(keys('ran'));

	await lookUp.record(keys('open'));
	expect(row.keys).toEqual([...keys('ran'), ...keys('open')]);
});
