import { isInEngine2 } from '../../../nodes/MessagingChannel/n8n/engine';

test.each([
	['01a223fc-7d46-73e9-b5ff-fb188ad7f2fa', true],
	['01A223FC-7D46-73E9-B5FF-FB188AD7F2FA', true],
	// What an execution of the other engine could be called.
	['231', false],
	['01a223fc-7d46-43e9-b5ff-fb188ad7f2fa', false],
	['of 01a223fc-7d46-73e9-b5ff-fb188ad7f2fa', false],
])('an execution %s is in Engine 2.0: %s', (id, expected) => {
	expect(isInEngine2(id)).toBe(expected);
});
