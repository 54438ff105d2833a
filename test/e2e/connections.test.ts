import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Execution } from '../support/n8n/execution';
import { byPhone } from '../support/operations/parameters';
import { createAuthority } from '../support/tls/certificates';
import { startTlsFront, type Stand } from '../support/tls/servers';
import { OPERATION, runOperation } from '../support/world/operationRun';
import { startWorld, type World } from '../support/world/world';
import type { CredentialReference } from '../support/n8n/workflow';

const authority = createAuthority();
const good = () => authority.issue({ hosts: ['127.0.0.1'] });

let world: World;
let front: Stand;
let overTls: CredentialReference;

beforeAll(async () => {
	world = await startWorld();
	front = await startTlsFront(world.service.origin, good());
	overTls = await world.n8n.api.createCredential('messagingChannelApi', 'Over TLS', secretsOverTls());
});
beforeEach(async () => {
	await world.service.control.reset();
	await world.service.control.setSendDelay({ minMs: 0, maxMs: 0 });
});
afterAll(async () => {
	await front?.stop();
	await world?.stop();
});

const secretsOverTls = () => ({ ...world.secrets, baseUrl: front.origin });

let isTrusted = false;

/** Does what an administrator does once. */
async function trustAuthority() {
	if (isTrusted) return;
	const file = join(world.n8n.userFolder, 'authority.pem');
	await writeFile(file, authority.cert);
	await world.n8n.restart({ env: { NODE_EXTRA_CA_CERTS: file } });
	isTrusted = true;
}

const send = async (credential: CredentialReference) =>
	await runOperation(
		{ n8n: world.n8n, credential },
		{ resource: 'message', operation: 'send' },
		{ to: byPhone('905551234567'), message: 'Hello' },
	);

/** Sees that an execution failed with these words and that nothing reached the service. */
async function expectNothingSent(failed: Execution, says: string, advises: RegExp) {
	expect(failed.status).toBe('error');
	expect(failed.nodeError(OPERATION)).toMatchObject({
		message: says,
		description: expect.stringMatching(advises) as string,
	});
	expect(await world.service.control.requests()).toEqual([]);
}

/** Sees that a failed execution sends its message when it is retried. */
async function expectRetrySends({ id }: Execution) {
	const retried = await world.n8n.api.retryExecution(id);
	expect(retried.items(OPERATION)).toEqual([
		{ json: expect.objectContaining({ queued: true }) as object, pairedItem: { item: 0 } },
	]);
	expect(retried.items(OPERATION)[0]?.json).not.toHaveProperty('already_sent');
	expect((await world.service.control.accepted()).map(({ body }) => body)).toEqual(['Hello']);
}

const UNKNOWN = 'The certificate of the service is not from a trusted authority';

test('what an unknown certificate has held back is sent once NODE_EXTRA_CA_CERTS names its authority', async () => {
	const failed = await send(overTls);
	await expectNothingSent(failed, UNKNOWN, /NODE_EXTRA_CA_CERTS/);
	expect(front.received()).toBe('');
	expect(await world.n8n.api.testCredential(overTls, secretsOverTls())).toEqual({
		status: 'Error',
		message: expect.stringMatching(`^${UNKNOWN}\\. .*NODE_EXTRA_CA_CERTS`) as string,
	});

	await trustAuthority();
	await expectRetrySends(failed);
	expect(await world.n8n.api.testCredential(overTls, secretsOverTls())).toMatchObject({ status: 'OK' });
});
