import type { IExecuteFunctions } from 'n8n-workflow';

import { keyStoreOf } from '../../../nodes/MessagingChannel/n8n/keyStore';
import { keyRowHelpers, newKeyRow } from '../../support/engine/keyRow';

test.each([
	['node', undefined],
	['workflow', 'workflow'],
] as const)(
	'keys in the row of a %s are recorded, counted and removed, and the other row stays as it is',
	async (_, scope) => {
		const [own, shared] = [newKeyRow(), newKeyRow()];
		const helpers = keyRowHelpers(own, shared) as IExecuteFunctions['helpers'];
		const store = keyStoreOf({ helpers }, 2, scope);

		expect(await store.record(['a', 'b'])).toEqual([]);
		expect(await store.record(['b', 'c'])).toEqual(['b']);
		// The oldest key was dropped.
		expect(await store.count()).toBe(2);
		await store.remove(['b']);
		expect((scope === 'workflow' ? shared : own).keys).toEqual(['c']);
		expect((scope === 'workflow' ? own : shared).calls).toBe(0);
	},
);
