import { replyIn, type PageReply } from '../../../../nodes/MessagingChannel/trigger/answers/questionPage';

test.each<[string, number, unknown, PageReply]>([
	['the page', 200, { isOpen: true, accepts: true }, { isOpen: true, accepts: true, taken: false }],
	['the page, closed', 410, { isOpen: false }, { isOpen: false, accepts: false, taken: false }],
	['an execution that has ended', 200, '<h1>No action required</h1>', 'closed'],
	['an n8n that starts', 200, '<p>n8n is starting up. Please wait</p>', 'unknown'],
	['an execution that runs', 409, { code: 409, message: 'The execution "1" is running already.' }, 'running'],
	['an execution that failed', 409, '{"message":"The execution \\"1\\" has finished with error."}', 'closed'],
	['an execution that was deleted', 404, { message: 'The execution "1" does not exist.' }, 'closed'],
	['a proxy without n8n', 404, '404 page not found', 'unknown'],
	['a link that n8n did not sign', 401, '<h1>Invalid token</h1>', 'closed'],
	['a question of another API key', 401, { isOpen: false }, 'closed'],
	['n8n with a problem', 500, { code: 0, message: 'There was a problem' }, 'unknown'],
	['a login page', 302, '', 'unknown'],
	['another page', 200, { taken: true }, 'unknown'],
])('%s', (_, statusCode, body, reply) => {
	expect(replyIn({ statusCode, body: body as string })).toEqual(reply);
});
