import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { connect } from 'node:net';

import type { Call } from '../../../nodes/MessagingChannel/api/call';
import { errorOfNetwork } from '../../../nodes/MessagingChannel/api/errors';
import { codeInWords } from '../../../nodes/MessagingChannel/api/systemCode';

const send: Call = { method: 'POST', path: '/messages/send', permission: 'messages:send', sends: 'text' };

test.each([
	['connect ECONNREFUSED 127.0.0.1:9', 'ECONNREFUSED'],
	['getaddrinfo ENOTFOUND api.example.com', 'ENOTFOUND'],
	['getaddrinfo EAI_AGAIN api.example.com', 'EAI_AGAIN'],
	['read ECONNRESET', 'ECONNRESET'],
	['write EPIPE', 'EPIPE'],
	['connect ETIMEDOUT 203.0.113.1:443', 'ETIMEDOUT'],
	['socket hang up', 'ECONNRESET'],
	['aborted', 'ECONNRESET'],
	['timeout of 300000ms exceeded', 'ECONNABORTED'],
	['certificate has expired', 'CERT_HAS_EXPIRED'],
	['self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
	['Parse Error: Expected HTTP/, RTSP/ or ICE/', 'HPE_INVALID'],
	['incorrect header check', 'Z_DATA_ERROR'],
	['Something else', undefined],
	['The service says connect ECONNREFUSED', undefined],
])('"%s" means %s', (words, code) => {
	expect(codeInWords([words, 'connect ENOTFOUND'])).toBe(code);
});

test.each([undefined, 'connect ECONNREFUSED', [], [undefined]])('%j says nothing', (messages) => {
	expect(codeInWords(messages)).toBeUndefined();
});

test('a message that found nobody is not ambiguous, though n8n 1.x drops the cause of the error', async () => {
	const refused = await new Promise<Error>((resolve) => connect(9, '127.0.0.1').once('error', resolve));
	const wrapped = new NodeApiError({ name: 'Node' } as INode, { message: refused.message });
	wrapped.messages = [refused.message];
	Object.assign(wrapped, { cause: undefined });
	expect(errorOfNetwork(send, wrapped)).toMatchObject({
		message: 'Nothing answers at the address of the service',
		ambiguous: false,
		neverTaken: true,
	});
});
