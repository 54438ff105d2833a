import fc from 'fast-check';

import { run } from '../../support/engine/run';
import { virtualClock } from '../../support/engine/clock';
import { sampleOperations } from './sampleOperations';
import { startStubServer, type StubServer } from '../../support/engine/stubServer';

let server: StubServer;

beforeAll(async () => {
	server = await startStubServer();
});
afterAll(async () => {
	await server.stop();
});

const envelope = fc.record(
	{
		success: fc.oneof(fc.constant(true), fc.jsonValue({ maxDepth: 1 })),
		data: fc.jsonValue(),
		error: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 1 })),
		message: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 1 })),
		pagination: fc.oneof(
			fc.record({ page: fc.jsonValue(), limit: fc.jsonValue(), total: fc.jsonValue() }),
			fc.jsonValue({ maxDepth: 1 }),
		),
	},
	{ requiredKeys: [] },
);
const body = fc.oneof(envelope, fc.jsonValue()).map((value) => JSON.stringify(value));
const text = fc.oneof({ weight: 4, arbitrary: body }, { weight: 1, arbitrary: fc.string() });
const status = fc.constantFrom(200, 201, 202, 400, 404, 409, 418, 500, 502, 504);

let runs = 0;

test('any JSON becomes an error in words for people, or the success that it tells of', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...sampleOperations),
			status,
			text,
			async (sample, statusCode, content) => {
				const { baseUrl, received } = server.stub((response) => {
					response.writeHead(statusCode, { 'content-type': 'application/json' });
					response.end(content);
				});

				const { output, error } = await run({ baseUrl, apiKey: `random-${++runs}` }, virtualClock(), {
					...sample.run,
					node: { onError: 'continueErrorOutput' },
				});

				expect(error).toBeUndefined();
				const [first] = output;
				if (first?.error) {
					expect(first.json).toMatchObject({
						httpStatus: statusCode,
						code: expect.stringMatching(/^[\w.:-]+$/),
					});
					expect(first.json.error).toMatch(/^[A-Z][^\n]{20,}$/);
					expect(first.json.description).toMatch(/^[A-Z][^\n]{20,}$/);
				} else {
					expect(statusCode).toBeLessThan(300);
					if (sample.sends) expect(JSON.parse(content)).toHaveProperty('success', true);
				}
				const own = received.filter(({ method, path }) => method === sample.method && path === sample.path);
				expect(own.length).toBeLessThanOrEqual(sample.idempotent ? 4 : 1);
			},
		),
		{ numRuns: 300, seed: 20_300_131 },
	);
});
