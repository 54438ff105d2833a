import type { Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import { corrected, correctionsOf } from '../../../nodes/MessagingChannel/operation/inferred';

const endpoint: Endpoint = {
	method: 'POST',
	path: '/auto-replies',
	permission: 'messages:send',
	inferred: 'endpoint',
};
const request = { endpoint: endpoint, parameters: { name: 'a' } };
const input = (settings: Record<string, unknown>) => ({
	parameters: {},
	settings,
	file: () => {
		throw new Error('No file here.');
	},
});

test.each<[Endpoint['method'], string[]]>([
	['GET', ['endpointPath']],
	['DELETE', ['endpointPath']],
	['POST', ['bodyFields', 'endpointPath']],
	['PUT', ['bodyFields', 'endpointPath']],
])('an inferred %s can be corrected in %j', (method, names) => {
	expect(correctionsOf({ ...endpoint, method }).map(({ name }) => name)).toEqual(names);
});

test('a published call offers no corrections', () => {
	expect(correctionsOf({ ...endpoint, inferred: undefined })).toEqual([]);
});

test('corrections replace what was inferred', () => {
	const bodyFields = { reply_text: 'Hi' };
	expect(corrected(request, input({ endpointPath: '/rules', bodyFields }))).toEqual({
		endpoint: { ...endpoint, path: '/rules', corrected: true },
		parameters: { name: 'a' },
		bodyFields,
	});
	expect(corrected(request, input({}))).toMatchObject({ endpoint: endpoint, bodyFields: undefined });
});

test.each([[undefined], [[]]])('Body Fields can add recipients without tags to skip: %j', (skipTags) => {
	const bodyFields = { to: '905551234567' };
	expect(corrected(request, input({ bodyFields, skipTags }))).toMatchObject({ bodyFields });
});

test.each([['to'], ['recipients']])('Body Fields cannot add %s while there are tags to skip', (field) => {
	const settings = { bodyFields: { [field]: ['905551234567'] }, skipTags: ['vip'] };
	expect(() => corrected(request, input(settings))).toThrow(
		expect.objectContaining({
			message: `'Body Fields' has recipients in '${field}', which 'Recipients: Skip Tags' cannot check`,
			description: "Enter the recipients in the node's own field, or remove 'Recipients: Skip Tags'.",
		}) as Error,
	);
});

describe('Endpoint Path', () => {
	const endpointPath = () => correctionsOf(endpoint)[1];

	test('shows the inferred path of its own operation, and mentions an ID only where there is one', () => {
		expect(endpointPath()).toMatchObject({
			placeholder: 'e.g. /auto-replies',
			description: 'Path to call instead of the derived one',
		});
		const [ofOne] = correctionsOf({ ...endpoint, method: 'GET', path: '/messages/broadcast/{id}' });
		expect(ofOne).toMatchObject({
			placeholder: 'e.g. /messages/broadcast/{id}',
			description: 'Path to call instead of the derived one. {id} is replaced with the ID entered above.',
		});
	});

	const toApi = (path: string, field = endpointPath()) => (field?.toApi as (path: string) => unknown)(path);

	test('may have an ID where there is one', () => {
		const [, ofOneRecord] = correctionsOf({ ...endpoint, path: '/auto-replies/{id}' });
		expect(toApi('/v2/rules/{id}/cancel', ofOneRecord)).toEqual({ endpointPath: '/v2/rules/{id}/cancel' });
		expect(() => toApi('/rules/{ruleId}', ofOneRecord)).toThrow("is not a valid path: '/rules/{ruleId}'");
		expect(toApi('/rules')).toEqual({ endpointPath: '/rules' });
		expect(() => toApi('/rules/{id}')).toThrow("is not a valid path: '/rules/{id}'");
	});

	test.each([
		['rules'],
		['https://elsewhere.example.com/rules'],
		['//elsewhere.example.com/rules'],
		['/rules?all=1'],
		['/rules#top'],
		['/rules /x'],
		['/rules/'],
		['/\\elsewhere.example.com'],
		['/./rules'],
		['/rules/..'],
		['/rules/%2E%2e/x'],
	])('may not be %s, where the key could go elsewhere', (path) => {
		expect(() => toApi(path)).toThrow(
			expect.objectContaining({
				problem: `is not a valid path: '${path}'`,
				description: "Enter the part after the base URL, starting with '/', e.g. /auto-replies.",
			}) as Error,
		);
	});
});
