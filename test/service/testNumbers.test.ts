import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startService, type Service } from '../support/service/service';
import { callerOf } from '../support/service/testing';
import { TEST_NUMBERS } from '../support/service/testNumbers';

let service: Service;
const call = callerOf(() => service);
const numbers = Object.entries(TEST_NUMBERS);

beforeAll(async () => {
	service = await startService();
});
afterAll(async () => await service.stop());

describe.each(numbers)('%s', (number, { status, error }) => {
	test.each([number, `+${number}`, `${number}@c.us`])(`as the recipient %s gets ${error}`, async (to) => {
		const answer = await call('POST', '/messages/send', { to, message: 'Hello' });
		expect([answer.status, answer.body.error]).toEqual([status, error]);
		expect(answer.body.message).toBe(`Requests with this phone number always get ${error}.`);
	});

	test('is refused in a path, a query and a list, too', async () => {
		const answers = await Promise.all([
			call('GET', `/contacts/${number}`),
			call('GET', `/chats/resolve?phone=${number}`),
			call('POST', '/contacts/sync', { phones: ['905551112233', number] }),
		]);
		expect(answers.map((answer) => answer.body.error)).toEqual([error, error, error]);
	});
});

test('nothing was taken, and other numbers are served', async () => {
	expect(await service.control.accepted()).toEqual([]);
	expect((await call('POST', '/messages/send', { to: '905551112233', message: 'Hello' })).status).toBe(202);
});

test('each error of the API has a number, which the documentation tells', async () => {
	const text = await readFile(join(__dirname, '..', '..', 'docs', 'try-it.md'), 'utf8');
	for (const [number, { error }] of numbers) expect(text).toContain(`| \`+${number}\` | \`${error}\``);
	expect(new Set(numbers.map(([, { error }]) => error)).size).toBe(15);
});
