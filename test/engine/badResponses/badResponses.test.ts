import { startStubServer, type StubServer } from '../../support/engine/stubServer';
import { badResponses } from './badResponses';
import { sampleOperations } from './sampleOperations';
import { problemsWith } from './outcome';

let server: StubServer;

beforeAll(async () => {
	server = await startStubServer();
});
afterAll(async () => await server.stop());

test.each(badResponses)('$name', async ({ respond, expect: expectation }) => {
	const wrong = await Promise.all(
		sampleOperations.map(async (sample) => await problemsWith(server, sample, respond, expectation(sample))),
	);

	expect(wrong.flat()).toEqual([]);
	expect(server.strays).toEqual([]);
});
