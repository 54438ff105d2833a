import { version } from '../../package.json';
import { replayQuestions, replayTrigger } from '../support/upgrade/replay';
import { readSaved, releases } from '../support/upgrade/saved';
import { startWorld, type World } from '../support/world/world';

let world: World;

beforeAll(async () => {
	world = await startWorld();
});

afterAll(async () => await world?.stop());

test('this release has left its workflows for later ones', () => {
	expect(releases()).toContain(version);
});

// What was saved of operations is replayed by the engine's tests.
describe.each(releases())('what was saved with %s still makes the service receive the same', (release) => {
	test('from a trigger, and the answer after it', async () => {
		const { workflow, recorded } = readSaved(release, 'trigger');
		expect([recorded.webhook?.is_active, recorded.requests.length]).toEqual([true, 1]);
		expect(await replayTrigger(world, workflow)).toEqual(recorded);
	});

	test('from questions, and what follows their answers', async () => {
		const { workflow, recorded } = readSaved(release, 'questions');
		expect(recorded).toHaveLength(4);
		expect(await replayQuestions(world, workflow)).toEqual(recorded);
	});
});
