import { createRequire } from 'node:module';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { compileFunction } from 'node:vm';

import type { INodeType } from 'n8n-workflow';

import { repository } from '../support/n8n/paths';

/** What a simulated process of n8n gives the package in place of the real one. */
export interface ProcessGlobals {
	/** Unix time in milliseconds. */
	now: () => number;
	/** From 0 up to, but not including, 1. */
	random: () => number;
	sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
	randomUUID: () => string;
}

/** The two nodes, with module state of their own. */
export interface LoadedPackage {
	action: INodeType;
	trigger: INodeType;
}

type ModuleFunction = (
	module: { exports: Record<string, unknown> },
	exports: Record<string, unknown>,
	require: (name: string) => unknown,
	Date: DateConstructor,
	Math: typeof globalThis.Math,
	FinalizationRegistry: new () => { register: () => void },
) => void;

const PARAMETERS = ['module', 'exports', 'require', 'Date', 'Math', 'FinalizationRegistry'];
const NODES = 'nodes/MessagingChannel';

/** Nothing is collected in a simulation; what n8n drops without an answer is told otherwise. */
class NoRegistry {
	register(): void {}
}

/** The shipped code, compiled once, by the path of each module below dist. */
function compiledModules(): Map<string, ModuleFunction> {
	const dist = join(repository, 'dist');
	const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
		.map((file) => file.split('\\').join('/'))
		.filter((file) => file.endsWith('.js'));
	return new Map(
		files.map((file) => {
			const filename = join(dist, file);
			const compiled = compileFunction(readFileSync(filename, 'utf8'), PARAMETERS, { filename });
			return [file.replace(/\.js$/, ''), compiled as unknown as ModuleFunction];
		}),
	);
}

/** An object with some properties of its own in the place of another's. */
function withOwn<T extends object>(original: T, own: Record<string, unknown>): T {
	const properties = Object.entries(own).map(([name, value]) => [name, { value }]);
	return Object.create(original, Object.fromEntries(properties) as PropertyDescriptorMap) as T;
}

const realRequire = createRequire(join(repository, 'package.json'));

type Load = (path: string) => Record<string, unknown>;

/** A loader with instances of its own, save for the modules that another one has for all. */
function createLoader(
	modules: Map<string, ModuleFunction>,
	{ now, random, sleep, randomUUID }: ProcessGlobals,
	shared?: Load,
): Load {
	class SimulatedDate extends Date {
		constructor(...values: [] | [string | number | Date]) {
			super(...((values.length === 0 ? [now()] : values) as [number]));
		}
		static override now = now;
	}
	const math = withOwn(Math, { random });
	const shims: Record<string, unknown> = {
		'n8n-workflow': withOwn(realRequire('n8n-workflow') as object, { sleep }),
		crypto: withOwn(realRequire('crypto') as object, { randomUUID }),
	};
	const loaded = new Map<string, Record<string, unknown>>();

	const load: Load = (path) => {
		const known = loaded.get(path);
		if (known) return known;
		if (shared && STATELESS.test(path)) return shared(path);
		const found = modules.has(path) ? path : `${path}/index`;
		const compiled = modules.get(found);
		if (!compiled) throw new Error(`dist has no module ${path}`);
		const module = { exports: {} as Record<string, unknown> };
		loaded.set(path, module.exports);
		const folder = posix.dirname(found);
		const requireFrom = (name: string): unknown =>
			name.startsWith('.') ? load(posix.join(folder, name)) : (shims[name] ?? realRequire(name));
		compiled(
			module,
			module.exports,
			requireFrom,
			SimulatedDate as unknown as DateConstructor,
			math,
			NoRegistry as unknown as Parameters<ModuleFunction>[5],
		);
		return module.exports;
	};
	return load;
}

/** What the operations are is the same in every process and changes nothing, so it is loaded once. */
const STATELESS = new RegExp(`^${NODES}/(actions|fields|operation)(/|$)`);

/** The time of the history that runs, for the modules that all share. */
let currentTime = () => 0;

let package_: { modules: Map<string, ModuleFunction>; shared: Load } | undefined;

function shippedPackage(): NonNullable<typeof package_> {
	if (package_) return package_;
	const modules = compiledModules();
	const shared = createLoader(modules, {
		now: () => currentTime(),
		random: () => 0,
		sleep: async () => await Promise.reject(new Error('A module without state waits')),
		randomUUID: () => 'of a module without state',
	});
	package_ = { modules, shared };
	return package_;
}

/** A new instance of the shipped package, as a process of n8n has one. */
export function loadPackage(globals: ProcessGlobals): LoadedPackage {
	const { modules, shared } = shippedPackage();
	currentTime = globals.now;
	const load = createLoader(modules, globals, shared);
	const classOf = (name: string) => load(`${NODES}/${name}.node`)[name] as new () => INodeType;
	return {
		// The panel, which the constructor makes, is never looked at here.
		action: classOf('MessagingChannel').prototype as INodeType,
		trigger: new (classOf('MessagingChannelTrigger'))(),
	};
}
