import Ajv from 'ajv';
import { OpenAPIBackend } from 'openapi-backend';

import { operations } from '../support/operations';
import { seedService } from '../support/operations/expectations';
import type { ExpectedRequest } from '../support/operations/case';
import { formats } from '../support/service/core/description';
import {
	answerOf,
	definition,
	documentedOperations,
	resolved,
	type Documented,
} from '../support/service/core/documentedOperations';
import { handlerOf } from '../support/service/handlers';
import { useService } from '../support/service/testing';

const service = useService();
const { components } = definition;
const ajv = new Ajv({ strict: false, formats });

type Asked = Pick<ExpectedRequest, 'path' | 'query' | 'multipart'> & { body?: object };
type Case = [what: string, status: number, asked: Asked, key?: string];
type Answered = { status: number; headers: Headers; body: string };

/** Stands for a key that is made for the test. */
const WITHOUT_PERMISSIONS = 'without permissions';

/** Makes a request; a file stands for every upload, as the description does not speak of bytes. */
async function ask(
	method: string,
	{ path, query = {}, body, multipart }: Asked,
	key = service.apiKey,
): Promise<Answered> {
	const form = multipart && new FormData();
	for (const [name, value] of Object.entries(multipart?.fields ?? {})) form?.append(name, value);
	if (multipart) form?.append('file', new Blob(['file']), multipart.file.filename);
	const response = await fetch(`${service.baseUrl}${path}?${new URLSearchParams({ ...query }).toString()}`, {
		method,
		headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
		body: form ?? (body && JSON.stringify(body)),
	});
	return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Sees that an answer is one that the description has, to the last field. */
async function expectDocumented(operation: Documented, { status, headers, body }: Answered): Promise<void> {
	for (const name of ['limit', 'remaining', 'reset'])
		expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
	const content = answerOf(operation, status) ?? {};
	const [type = ''] = (headers.get('content-type') ?? '').split(';');
	if (type !== 'application/json') return expect(Object.keys(content)).toContain('application/octet-stream');
	const validate = ajv.compile({ ...content[type]?.schema, components });
	expect([validate(JSON.parse(body)), validate.errors]).toEqual([true, null]);
}

test('openapi.yaml is a valid description, and each of its operations has a handler', async () => {
	const api = new OpenAPIBackend({ definition: definition as never, quick: true });
	await api.loadDocument();
	expect(() => api.validateDefinition()).not.toThrow();
	for (const { operationId } of documentedOperations) expect(handlerOf(operationId)).toBeDefined();
});

describe.each(documentedOperations)('$operationId', (operation) => {
	const { operationId, method, path, requestBody, 'x-permission': permission } = operation;
	const cases = operations.find((one) => `${one.resource}.${one.operation}` === operationId);
	const requests = [cases?.minimal, cases?.full].flatMap((one) => one?.requests ?? []);
	const own = requests.filter((asked) => asked.method === method) as Array<Asked & ExpectedRequest>;
	const first: Asked = own[0] ?? { path };
	const schema = requestBody?.content['application/json']?.schema;
	const required = schema ? (resolved(schema).required ?? []) : [];
	const withBody = (change: object): Asked => ({
		...first,
		multipart: undefined,
		body: { ...first.body, ...change },
	});

	beforeEach(async () => await seedService(service, cases ?? {}));

	test.each(own)('takes $method $path', async (asked) => {
		const answer = await ask(method, asked);
		expect(answer.status).toBeLessThan(300);
		await expectDocumented(operation, answer);
	});

	test.each<Case>([
		['an unknown key', 401, first, 'unknown'],
		[`a key without ${permission}`, permission === 'valid-key' ? 200 : 403, first, WITHOUT_PERMISSIONS],
		['an unknown query parameter', 400, { ...first, query: { ...first.query, odd: '1' } }],
		...(method === 'GET' ? [] : [['an unknown field', 400, withBody({ odd: 1 })] satisfies Case]),
		...required.map((field): Case => [`no field ${field}`, 400, withBody({ [field]: undefined })]),
	])('answers %s with %i', async (...[, status, asked, key]) => {
		const { apiKey } = await service.control.createKey({ permissions: [] });
		const answer = await ask(method, asked, key === WITHOUT_PERMISSIONS ? apiKey : key);
		expect(answer.status).toBe(status);
		await expectDocumented(operation, answer);
	});

	test('is limited', async () => {
		await service.control.setRateLimit({ limit: 1, windowSeconds: 60 });
		await ask('GET', { path: '/health' });
		const answer = await ask(method, first);
		expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([429, '0']);
		await expectDocumented(operation, answer);
	});
});
