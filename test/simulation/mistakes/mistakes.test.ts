import { installPackage } from '../n8n/package';
import { WORLD_NAMES, WORLDS, type WorldName } from '../worlds';
import { ANSWERS, WAITING } from './answers';
import { CAMPAIGN } from './campaign';
import { MISSED } from './missed';
import { RECEIVING } from './receiving';
import { SENDING } from './sending';
import type { Mistakes } from './wrap';

/** The mistakes that the histories of each world must find. */
const MISTAKES: Record<WorldName, Mistakes> = {
	sending: SENDING,
	campaign: CAMPAIGN,
	receiving: RECEIVING,
	missed: MISSED,
	waiting: WAITING,
	answers: ANSWERS,
};

/** Each mistake is found within so many. */
const HISTORIES = 1_200;

afterEach(() => installPackage());

describe.each(WORLD_NAMES)('the world %s finds', (world) => {
	test.each(Object.entries(MISTAKES[world]))('%s', async (_, [breaks, ...wraps]) => {
		installPackage({ wraps });
		const others = new Set<string>();
		for (let seed = 1; seed <= HISTORIES; seed++) {
			const broken = await WORLDS[world].play(seed);
			if (broken.some((promise) => promise.includes(breaks))) return;
			for (const promise of broken) others.add(promise);
		}
		throw new Error(`No history breaks a promise with '${breaks}', but: ${[...others].join('; ')}`);
	});
});
