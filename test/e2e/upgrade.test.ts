import { version } from '../../package.json';
import { importSaved, replayNode, replayQuestions, replayTrigger } from '../support/upgrade/replay';
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

/** What is meant to be different, by release and name: the messages of a chat are simplified by default. */
const CHANGED: Record<string, Record<string, Record<string, string>>> = {
	'0.1.0': { 'chat: getMessages': { include_presigned_url: 'false', include_raw: 'false' } },
};

describe.each(releases())('what was saved with %s still makes the service receive the same', (release) => {
	describe('from each operation', () => {
		const { workflow, recorded } = readSaved(release, 'operations');
		let id: string;

		beforeAll(async () => {
			({ id } = await importSaved(world, workflow));
		});

		test('of which there are all', () => {
			const names = Object.keys(recorded).map((name) => name.replace(/,.*/, ''));
			expect(new Set(names).size).toBeGreaterThanOrEqual(53);
		});

		test.each(Object.entries(recorded))('%s', async (name, { prepare, requests }) => {
			expect(requests).not.toEqual([]);
			const changed = CHANGED[release]?.[name];
			const expected = changed
				? requests.map((request) => ({ ...request, query: { ...request.query, ...changed } }))
				: requests;
			expect(await replayNode(world, id, name, prepare)).toEqual(expected);
		});
	});

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
