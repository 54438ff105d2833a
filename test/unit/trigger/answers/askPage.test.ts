import {
	ANSWER_HEADER,
	readAnswerRequest,
	type AnswerRequest,
} from '../../../../nodes/MessagingChannel/sendAndWait/inChat/protocol';
import type { HttpRequest } from '../../../../nodes/MessagingChannel/n8n/httpRequest';
import { askPage, replyIn, type PageReply } from '../../../../nodes/MessagingChannel/trigger/answers/askPage';

test.each<[string, number, unknown, PageReply]>([
	['the page', 200, { isOpen: true, accepts: true }, { isOpen: true, accepts: true, taken: false }],
	['the page, closed', 410, { isOpen: false }, { isOpen: false, accepts: false, taken: false }],
	['an execution that has ended', 200, '<h1>No action required</h1>', 'closed'],
	['an n8n that starts', 200, '<p>n8n is starting up. Please wait</p>', 'refused'],
	['an execution that runs', 409, { code: 409, message: 'The execution "1" is running already.' }, 'running'],
	['an execution that failed', 409, '{"message":"The execution \\"1\\" has finished with error."}', 'closed'],
	['an execution that was deleted', 404, { message: 'The execution "1" does not exist.' }, 'closed'],
	['a proxy without n8n', 404, '404: this page does not exist', 'refused'],
	['a link whose signature n8n refuses', 401, '<h1>Invalid Form Link</h1>', 'unsigned'],
	['a link whose signature n8n refuses, as JSON', 401, { error: 'Invalid token' }, 'unsigned'],
	['a proxy that asks for a password', 401, '<style>input:invalid {}</style><h1>Log in</h1>', 'refused'],
	['a question of another API key', 401, { isOpen: false }, 'closed'],
	[
		'an n8n that could not store the answer',
		500,
		{ code: 0, message: 'There was a problem executing the workflow' },
		'refused',
	],
	['n8n with another problem', 500, { code: 0, message: 'Workflow could not be started' }, 'unknown'],
	['a proxy that n8n did not respond to', 502, 'Bad Gateway', 'unknown'],
	['a login page', 302, '', 'unknown'],
	['another page', 200, { taken: true }, 'unknown'],
])('%s', (_, statusCode, body, reply) => {
	expect(replyIn({ statusCode, body: body as string })).toEqual(reply);
});

const request: AnswerRequest = {
	phase: 'check',
	messageId: 'm',
	chat: 'c',
	text: 'Approve',
	sendersSince: [],
};
const key = Buffer.from('key');

test('a page is asked by a signed request to its link', async () => {
	const link = 'https://n8n.example.com/webhook-waiting/1/node?chat=m&run=0&signature=s';
	const sent: Array<Parameters<HttpRequest>[0]> = [];
	const httpRequest: HttpRequest = async (options) => {
		sent.push(options);
		return await Promise.resolve({ statusCode: 200, body: { isOpen: true }, headers: {} });
	};

	await askPage(link, request, { httpRequest, key, now: 0 });

	expect(sent).toMatchObject([
		{ method: 'POST', url: link, timeout: 10_000, headers: { 'content-type': 'application/json' } },
	]);
	const { headers, body } = sent[0] ?? {};
	expect(readAnswerRequest(headers?.[ANSWER_HEADER], key, 's', body as Buffer, 0)).toEqual(request);
});

test.each<[string, object, PageReply]>([
	['n8n cannot be reached', { code: 'ECONNREFUSED' }, 'refused'],
	['the connection breaks', { code: 'ECONNRESET', request: { socket: { bytesWritten: 300 } } }, 'unknown'],
])('without a response, because %s', async (_, more, reply) => {
	const httpRequest = async () => await Promise.reject(Object.assign(new Error('socket hang up'), more));
	const link = 'https://n8n.example.com/webhook-waiting/1/node?chat=m&run=0&signature=s';

	expect(await askPage(link, request, { httpRequest, key, now: 0 })).toBe(reply);
});

describe('n8n leads elsewhere', () => {
	const link = 'https://n8n.example.com/in/webhook-waiting/1/node?chat=m&run=0&signature=s';

	test.each<[string, string | undefined, PageReply, number?]>([
		['the form of the execution', '/form-waiting/1/node?chat=m&run=0&signature=s', 'running'],
		['the form, behind a path', '/in/form-waiting/1/node?chat=m&run=0&signature=s', 'running'],
		['HTTPS', 'https://n8n.example.com/in/webhook-waiting/1/node?chat=m', 'unknown'],
		['another execution', '/form-waiting/2/node', 'unknown'],
		['a login page', '/login', 'unknown'],
		['no URL', 'https://', 'unknown'],
		['nothing', undefined, 'unknown'],
		['the form of the execution, but not as n8n does', '/form-waiting/1/node', 'unknown', 302],
	])('%s', async (_, location, reply, statusCode = 307) => {
		const response = { statusCode, body: 'Temporary Redirect.', headers: { location } };
		const httpRequest = async () => await Promise.resolve(response);
		expect(await askPage(link, request, { httpRequest, key, now: 0 })).toBe(reply);
	});
});
