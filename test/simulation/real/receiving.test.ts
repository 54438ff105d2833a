import { withLegacyExpressions } from '../../support/n8n/environment';
import { receiveInN8n } from './receiveInN8n';
import { receivingScripts, simulateReceiving } from './receivingScript';
import { compareWithN8n } from './sharedN8n';

/** For each of the two ways in which n8n publishes. */
const HISTORIES = Math.ceil(Number(process.env.HISTORIES ?? 12) / 2);
const SEED = Number(process.env.SEED ?? 1);

// A history that the simulation does not allow takes its 8,000 chances: minutes.
jest.setTimeout(600_000 + HISTORIES * 200_000);

const ENVIRONMENT = {
	// All histories publish at the same time.
	N8N_WORKFLOW_PUBLICATION_CONCURRENCY: String(HISTORIES),
	// A publication that was cut off is taken up again after this time, twice as long by default.
	N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '60',
	// A delivery takes a third of the time, and does the same.
	...withLegacyExpressions,
};

test.each([
	['with its publication service', true],
	['without its publication service', false],
])('what a real n8n does with events, %s, is among what the simulation allows', async (_, usesService) => {
	const scripts = receivingScripts(SEED, HISTORIES, usesService);
	const env = { ...ENVIRONMENT, N8N_USE_WORKFLOW_PUBLICATION_SERVICE: String(usesService) };

	const found = await compareWithN8n(scripts, { inN8n: receiveInN8n, simulate: simulateReceiving }, { env });

	expect(found).toBe('');
});
