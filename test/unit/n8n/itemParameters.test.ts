import type { IExecuteFunctions } from 'n8n-workflow';

import { itemParametersOf } from '../../../nodes/MessagingChannel/n8n/itemParameters';

let opened = 0;
beforeEach(() => (opened = 0));

/** Reads a parameter of an item. */
function read(to: unknown, $json: object): unknown {
	const context = {
		getNodeParameter: (_name: string, _index: number, _fallback: unknown, options?: object) =>
			options ? to : 'resolved by n8n',
		getWorkflowDataProxy: () => {
			opened++;
			return { $json };
		},
	} as unknown as IExecuteFunctions;
	return itemParametersOf(context, 0).read('to', '');
}

test.each([
	['a dot', 'a.b', 'ab'],
	['a bracket that opens', 'a[b', 'a'],
	['a bracket that closes', 'a]b', 'b'],
])('a field is not mistaken for another one when its name has %s', (_, name, other) => {
	expect(read(`={{ $json['${name}'] }}`, { [name]: 'own', [other]: 'of another' })).toBe('own');
});

test('all texts of a list or of a group are filled in without n8n', () => {
	expect(read(['={{ $json.a }}', { b: '={{ $json.b }}', c: 1 }], { a: 'x', b: 'y' })).toEqual([
		'x',
		{ b: 'y', c: 1 },
	]);
	// n8n takes a while to open an item.
	expect(opened).toBe(1);
});
