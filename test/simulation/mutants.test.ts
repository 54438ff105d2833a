import { readSources } from './modules';
import { codeOf, installMutant } from './mutation';
import { MUTANTS, type Mutant } from './mutants';
import { installPackage } from './package';
import { WORLDS } from './worlds';

/** Two of each world that few histories find. `npm run simulate -- --mutants` tries all. */
const QUICK = [
	'an unconfirmed send is made again by the next try',
	'a tool recognises what it sent only within one run',
	'a request with an ID is not recorded before it is made',
	'those who opted out are not skipped',
	'unpublishing leaves the webhook where it is',
	'an event that is not certainly the sample is dropped',
	'a poller that n8n restarts does not note since when it listens',
	'a loop goes on when its trigger is unpublished',
	'opening a link answers the question',
	'the link to decline approves',
	'a guessed signature hands over an answer',
	'a question takes what it is only asked about',
];

const MOST_HISTORIES = 2_000;

/** Whether a history breaks a promise in these words. */
async function isFound({ name, world }: Mutant, words = ''): Promise<boolean> {
	installMutant(name);
	for (let seed = 1; seed <= MOST_HISTORIES; seed++) {
		const broken = await WORLDS[world].play(seed);
		if (broken.some((promise) => promise.includes(words))) return true;
	}
	return false;
}

afterEach(() => installPackage(readSources()));

test.each(MUTANTS)('the code still has the place of: $name', (mutant) => {
	expect(codeOf(mutant)).toContain(mutant.replace);
});

test.each(MUTANTS.filter(({ name }) => QUICK.includes(name)))('histories find: $name', async (mutant) => {
	expect(await isFound(mutant)).toBe(true);
});

test('a loop of promises that never waits breaks a promise, and takes no memory', async () => {
	const mutant = MUTANTS.find(({ name }) => name === 'a refused event stays claimed') as Mutant;
	expect(await isFound(mutant, 'does not come to an end')).toBe(true);
});
