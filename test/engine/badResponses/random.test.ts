import fc from 'fast-check';

import { run } from '../../support/engine/run';
import { virtualClock } from '../../support/engine/clock';
import { everyKind } from './asked';
import { startAnswerServer, type AnswerServer } from '../../support/engine/answerServer';

let server: AnswerServer;

beforeAll(async () => {
	server = await startAnswerServer();
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
		fc.asyncProperty(fc.constantFrom(...everyKind), status, text, async (asked, statusCode, answer) => {
			const { baseUrl, arrived } = server.place((response) => {
				response.writeHead(statusCode, { 'content-type': 'application/json' });
				response.end(answer);
			});

			const { output, error } = await run({ baseUrl, apiKey: `random-${++runs}` }, virtualClock(), {
				...asked.run,
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
				if (asked.sends) expect(JSON.parse(answer)).toHaveProperty('success', true);
			}
			const own = arrived.filter(({ method, path }) => method === asked.method && path === asked.path);
			expect(own.length).toBeLessThanOrEqual(asked.idempotent ? 4 : 1);
		}),
		{ numRuns: 300, seed: 20_300_131 },
	);
});
