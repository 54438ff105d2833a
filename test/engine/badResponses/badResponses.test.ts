import { startAnswerServer, type AnswerServer } from '../../support/engine/answerServer';
import { badAnswers } from './answers';
import { everyKind } from './asked';
import { whatIsWrong } from './outcome';

let server: AnswerServer;

beforeAll(async () => {
	server = await startAnswerServer();
});
afterAll(async () => await server.stop());

test.each(badAnswers)('$name', async ({ answering, expect: expectation }) => {
	const wrong = await Promise.all(
		everyKind.map(async (asked) => await whatIsWrong(server, asked, answering, expectation(asked))),
	);

	expect(wrong.flat()).toEqual([]);
	expect(server.strays).toEqual([]);
});
