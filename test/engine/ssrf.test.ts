import '../support/engine/ssrfProtection';

import { CONTINUES, person, useEngine } from '../support/engine/engine';
import { stored } from '../support/engine/run';

const engine = useEngine();

const items = [{ to: person(1), message: 'Hello' }];

test('what n8n blocks is not sent and fails at once, and "Retry execution" sends it when it is allowed', async () => {
	const { output, clock, execution } = await engine.run({ items, node: CONTINUES });

	expect(output).toEqual([
		{
			json: {
				error: 'n8n blocks the address of the service to protect internal networks',
				code: 'network_error',
				httpStatus: null,
				description: expect.stringContaining('N8N_SSRF_ALLOWED_HOSTNAMES') as string,
				to: person(1),
				outcome: 'not_sent',
			},
			pairedItem: { item: 0 },
		},
	]);
	expect(clock.waits).toEqual([]);
	expect(await engine.requests()).toEqual([]);

	const { port } = new URL(engine.service.origin);
	const second = await engine.run({
		items,
		execution: stored(execution),
		credential: { baseUrl: `http://localhost:${port}`, apiKey: engine.service.apiKey },
	});

	expect(second.output[0]?.json).toMatchObject({ queued: true });
	expect(second.output[0]?.json).not.toHaveProperty('already_sent');
	expect(await engine.accepted()).toEqual(['Hello']);
});
