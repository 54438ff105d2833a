/**
 * Where n8n's main thread spends its time while it sends, or takes events: `npm run profile -- [sends|events|dropped]`.
 * docs/performance.md tells what came of it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startService } from '../support/service/service';
import { messageBody } from '../support/world/triggerWorld';
import { answerOfPreload } from './support/preload';
import { bareSend, httpRequestSend, messages, ourSend } from './support/senders';
import { deliverAll, eventsPerSecond } from './suites/events';
import { bareTrigger, ourTrigger, webhookNode } from './support/triggers';
import { createRun, runStep, startBenchWorld, type BenchWorld } from './support/world';

const MESSAGES = 2_000;
const EVENTS = 200;

interface ProfileNode {
	id: number;
	callFrame: { functionName: string; url: string };
	children?: number[];
}

interface Profile {
	nodes: ProfileNode[];
	samples: number[];
	timeDeltas: number[];
}

/** What the code in a file is part of. */
const PARTS: Array<[string, RegExp]> = [
	['this package', /n8n-nodes-messaging-channel/],
	['the floor', /n8n-nodes-floor/],
	["n8n's expressions", /expression|isolated-vm|@n8n\/tournament|riot-tmpl/],
	['axios and follow-redirects', /node_modules\/(axios|follow-redirects|form-data|proxy-from-env)/],
	["n8n's core", /node_modules\/n8n-core|node_modules\/n8n-workflow/],
	["n8n's server", /node_modules\/(n8n\/|@n8n|express|router|body-parser|raw-body|qs)/],
	['database', /typeorm|sqlite/],
	['flatted', /flatted/],
	['other packages', /node_modules/],
	['Node', /^node:/],
];

/** Native code belongs to what called it. */
function partsOf({ nodes }: Profile): Map<number, string> {
	const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node])));
	const partOf = (node: ProfileNode | undefined): string => {
		if (!node) return 'native code';
		const { functionName, url } = node.callFrame;
		if (functionName === '(garbage collector)') return 'garbage collection';
		// The profile's own beginning and end.
		if (functionName === '(idle)' || url === 'node:inspector') return 'idle';
		if (url === '') return partOf(callers.get(node.id));
		return PARTS.find(([, pattern]) => pattern.test(url))?.[0] ?? 'native code';
	};
	return new Map(nodes.map((node) => [node.id, partOf(node)]));
}

/** Milliseconds per part, most first; without the time in which nothing ran. */
function timeByPart(profile: Profile): Array<[string, number]> {
	const { samples, timeDeltas } = profile;
	const parts = partsOf(profile);
	const sums = new Map<string, number>();
	samples.forEach((id, index) => {
		const part = parts.get(id) ?? 'native code';
		sums.set(part, (sums.get(part) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
	});
	sums.delete('idle');
	return [...sums].sort(([, one], [, other]) => other - one);
}

/** The functions of a part with the most time in themselves. */
function hottest(profile: Profile, part: string, count: number): Array<[string, number]> {
	const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
	const parts = partsOf(profile);
	const sums = new Map<string, number>();
	profile.samples.forEach((id, index) => {
		const frame = frames.get(id);
		if (!frame || parts.get(id) !== part) return;
		const name = `${frame.functionName || '(anonymous)'} in ${frame.url.split('/').slice(-2).join('/')}`;
		sums.set(name, (sums.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0) / 1000);
	});
	return [...sums].sort(([, one], [, other]) => other - one).slice(0, count);
}

async function profiled(pid: number, file: string, work: () => Promise<unknown>): Promise<Profile> {
	await rm(file, { force: true });
	process.kill(pid, 'SIGUSR2');
	await work();
	return await answerOfPreload<Profile>(pid, file);
}

type Work = (
	world: BenchWorld,
) => Promise<Array<{ name: string; count: number; work: () => Promise<unknown> }>>;

const sends: Work = async (world) =>
	await Promise.all(
		Object.entries({
			'message:send': ourSend(world),
			'the bare helper': bareSend(world),
			'HTTP Request': httpRequestSend(world),
		}).map(async ([name, step]) => {
			const id = await createRun(world, messages(MESSAGES), step);
			return { name, count: MESSAGES, work: async () => await runStep(world, id) };
		}),
	);

const events: Work = async (world) => {
	const service = await startService();
	const listeners = {
		'the trigger': await ourTrigger(world, service),
		'a trigger that does nothing': await bareTrigger(world),
		'Webhook node': await webhookNode(world),
	};
	return Object.entries(listeners).map(([name, listener]) => ({
		name,
		count: EVENTS,
		work: async () => await eventsPerSecond(world, listener, EVENTS, 10),
	}));
};

const dropped: Work = async (world) => {
	const listener = await ourTrigger(world, await startService());
	const forged = () => ({ ...listener.next(), body: messageBody() });
	return [
		{
			name: 'forged deliveries',
			count: EVENTS,
			work: async () =>
				await deliverAll(
					Array.from({ length: EVENTS }, () => forged),
					10,
					401,
				),
		},
	];
};

const WORKS: Record<string, Work> = { sends, events, dropped };

async function main(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'profile-'));
	const file = join(folder, 'cpu.json');
	const world = await startBenchWorld({
		env: { PROFILE_TO: file, NODE_OPTIONS: `--require ${join(__dirname, 'profiler.cjs')}` },
	});
	try {
		const asked = process.argv.slice(2);
		for (const [title, work] of Object.entries(WORKS)) {
			if (asked.length > 0 && !asked.includes(title)) continue;
			for (const { name, count, work: run } of await work(world)) {
				// The first run warms up.
				await run();
				print(`${title}: ${name}`, count, await profiled(world.n8n.pid, file, run));
			}
		}
	} finally {
		await world.stop();
		await rm(folder, { recursive: true, force: true });
	}
}

function print(title: string, count: number, profile: Profile): void {
	const parts = timeByPart(profile);
	const all = parts.reduce((sum, [, ms]) => sum + ms, 0);
	console.log(`\n${title}: ${(all / count).toFixed(2)} ms each\n\n| part | ms each | share |\n|---|---|---|`);
	for (const [part, ms] of parts)
		console.log(`| ${part} | ${(ms / count).toFixed(3)} | ${((ms / all) * 100).toFixed(0)} % |`);
	for (const [name, ms] of hottest(profile, 'this package', 12))
		console.log(`    ${(ms / count).toFixed(4)} ms  ${name}`);
}

main()
	.then(() => process.exit())
	.catch((error: unknown) => {
		console.error(error);
		process.exit(1);
	});
