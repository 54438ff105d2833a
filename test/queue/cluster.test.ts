import { QUICK_LOCKS } from '../support/cluster/cluster';
import { startQueueWorld, type QueueWorld } from '../support/cluster/queueWorld';
import { withLegacyExpressions } from '../support/n8n/environment';
import { underTest } from '../support/n8n/version';
import { sampled } from '../support/nightly';
import { campaign } from './campaign';
import { deliveries } from './deliveries';
import { rateWindow } from './rateWindow';
import { workers } from './workers';

// Each wait has an end of its own, which says what did not happen.
jest.setTimeout(2_400_000);

let world: QueueWorld;

beforeAll(async () => {
	const unusedModules = underTest.unusedModules.filter((name) => name !== 'breaking-changes');
	const env = { ...withLegacyExpressions, ...QUICK_LOCKS, N8N_DISABLED_MODULES: unusedModules.join(',') };
	world = await startQueueWorld({ workers: sampled(2, 4), env });
});
afterAll(async () => await world?.stop());

// The cluster costs most of the time, so one runs them all.
describe('a worker', () => workers(() => world));
describe('a campaign with request IDs', () => campaign(() => world));
describe('an event', () => deliveries(() => world));
describe('executions that send at once', () => rateWindow(() => world));
