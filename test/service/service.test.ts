import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';

import { TEST_NUMBERS } from '../support/service/testNumbers';
import { callerOf, useService } from '../support/service/testing';

const service = useService();
const call = callerOf(() => service);

test.each(Object.entries(TEST_NUMBERS))('%s gets its error, as docs/try-it.md says', async (to, fault) => {
	const answer = await call('POST', '/messages/send', { to: `+${to}`, message: 'Hello' });
	expect([answer.status, answer.body.error]).toEqual([fault.status, fault.error]);
	expect(await service.control.accepted()).toEqual([]);
	const page = readFileSync(join(__dirname, '..', '..', 'docs', 'try-it.md'), 'utf8');
	expect(page).toContain(`| \`+${to}\` | \`${fault.error}\``);
});

test.each([
	['another site', { origin: 'https://evil.example.com' }],
	['a sandbox', { origin: 'null' }],
	['a name that leads to this machine', { host: 'evil.example.com' }],
])('a page of %s cannot use the controls of a service that somebody tries', async (_, headers) => {
	for (const path of ['/control/setAccount', '/phone/switches']) {
		const status = await new Promise((resolve) => {
			request(service.origin + path, { method: 'POST', headers }, (response) =>
				resolve(response.resume().statusCode),
			).end('{"status":"banned","name":"slow","isOn":true}');
		});
		expect(status).toBe(403);
	}
});
