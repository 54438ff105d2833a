import fc from 'fast-check';

import { type Endpoint, isIdempotent, requestParts } from '../../../nodes/MessagingChannel/api/apiRequest';

const call = (method: Endpoint['method'], path: string): Endpoint => ({
	method,
	path,
	permission: 'valid key',
});

describe('a parameter', () => {
	test('named in the path goes there and nowhere else', () => {
		const parts = requestParts({
			endpoint: call('PUT', '/contacts/{phone}'),
			parameters: { phone: '905551234567', name: 'Ada' },
		});
		expect(parts).toEqual({ path: '/contacts/905551234567', query: {}, body: { name: 'Ada' } });
	});

	test.each<[Endpoint['method'], 'query' | 'body']>([
		['GET', 'query'],
		['DELETE', 'query'],
		['POST', 'body'],
		['PUT', 'body'],
	])('of a %s goes into the %s, in snake_case', (method, place) => {
		const parts = requestParts({
			endpoint: call(method, '/x'),
			parameters: { isChannelUser: true, page: 2 },
		});
		expect(parts).toEqual({ path: '/x', query: {}, body: {}, [place]: { is_channel_user: true, page: 2 } });
	});

	test('that is undefined is left out; false, 0, null and empty text are not', () => {
		const parameters = { a: undefined, b: false, c: 0, d: null, e: '' };
		expect(requestParts({ endpoint: call('POST', '/x'), parameters }).body).toStrictEqual({
			b: false,
			c: 0,
			d: null,
			e: '',
		});
	});

	test('that is an object keeps its keys, which are the user’s', () => {
		const parameters = { customFields: { firstName: 'Ada' } };
		expect(requestParts({ endpoint: call('POST', '/x'), parameters }).body).toEqual({
			custom_fields: { firstName: 'Ada' },
		});
	});
});

test('body fields override the body under their own names', () => {
	const request = {
		endpoint: call('POST', '/x'),
		parameters: { triggerType: 'keyword', name: 'a' },
		bodyFields: { name: 'b', triggerType: 'kept' },
	};
	expect(requestParts(request).body).toEqual({ trigger_type: 'keyword', name: 'b', triggerType: 'kept' });
});

test('body fields do not apply to a request without a body', () => {
	const parts = requestParts({ endpoint: call('DELETE', '/x'), bodyFields: { name: 'b' } });
	expect(parts).toEqual({ path: '/x', query: {}, body: {} });
});

describe('a value in the path', () => {
	test('can hold any text and stays one segment', () => {
		fc.assert(
			fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (id) => {
				fc.pre(id !== '.' && id !== '..');
				const { path } = requestParts({ endpoint: call('GET', '/messages/{id}/media'), parameters: { id } });
				const url = new URL(`https://service.example.com${path}`);
				expect(url.search + url.hash).toBe('');
				expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'messages', id, 'media']);
			}),
		);
	});

	test.each([['.'], ['..'], [''], [undefined], [null], [{}], ['cut \ud83d']])(
		'%j is refused, because it leads elsewhere or nowhere',
		(id) => {
			expect(() => requestParts({ endpoint: call('GET', '/x/{id}'), parameters: { id } })).toThrow(
				expect.objectContaining({
					code: 'validation_error',
					httpStatus: null,
					ambiguous: false,
					message: expect.stringContaining("is not a valid 'id'") as string,
					description: 'Enter the value exactly as the service returned it.',
				}) as Error,
			);
		},
	);
});

test('a number in the path is its digits', () => {
	expect(requestParts({ endpoint: call('GET', '/x/{id}'), parameters: { id: 7 } }).path).toBe('/x/7');
});

test.each<[Endpoint, boolean]>([
	[call('GET', '/x'), true],
	[call('PUT', '/x'), true],
	[call('DELETE', '/x'), true],
	[call('POST', '/x'), false],
	[{ ...call('POST', '/x'), idempotent: true }, true],
])('%j may be repeated: %s', (asked, expected) => {
	expect(isIdempotent(asked)).toBe(expected);
});
