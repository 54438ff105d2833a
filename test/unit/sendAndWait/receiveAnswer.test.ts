import type { IWebhookFunctions } from 'n8n-workflow';

import { answerKeyOf, chatTagOf } from '../../../nodes/MessagingChannel/sendAndWait/inChat/answerKey';
import { ANSWER_HEADER, answerHeader } from '../../../nodes/MessagingChannel/sendAndWait/inChat/protocol';
import { receiveAnswer } from '../../../nodes/MessagingChannel/sendAndWait/receiveAnswer';

const GROUP = '120363000000000001@g.us';
const RESPONDER = '905551112233';

/** The response to somebody who asks with this API key about a reply of the one person whose answer counts. */
async function responseTo(apiKey: string) {
	const key = answerKeyOf({ apiKey });
	const reply = { messageId: '1', chat: GROUP, from: RESPONDER, text: 'Approve', sendersSince: [] };
	const rawBody = Buffer.from(JSON.stringify({ ...reply, phase: 'check' }));
	const question = {
		run: '0',
		reply: { type: 'approval', approve: 'Approve' },
		inChat: { code: 'K7F4', responders: [RESPONDER] },
	};
	const response = { status: jest.fn().mockReturnThis(), json: jest.fn() };
	await receiveAnswer({
		evaluateExpression: () => question,
		getNode: () => ({ name: 'Ask' }),
		getCredentials: async () => await Promise.resolve({ apiKey }),
		getQueryData: () => ({ run: '0', chat: chatTagOf(key, GROUP), signature: 'link' }),
		getHeaderData: () => ({ [ANSWER_HEADER]: answerHeader(key, 'link', rawBody, Date.now()) }),
		getRequestObject: () => ({ method: 'POST', rawBody }),
		getResponseObject: () => response,
	} as unknown as IWebhookFunctions);
	return [response.status.mock.lastCall, response.json.mock.lastCall];
}

test('a reply that is signed with the API key is read', async () => {
	expect(await responseTo('key')).toEqual([[200], [{ isOpen: true, accepts: true }]]);
});

test.each(['', ' '])('without an API key (%j), everybody could sign, so no reply counts', async (apiKey) => {
	expect(await responseTo(apiKey)).toEqual([[401], [{ isOpen: false }]]);
});
