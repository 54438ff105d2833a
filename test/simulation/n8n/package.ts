import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { INodeType } from 'n8n-workflow';

import { repository } from '../../support/n8n/paths';
import { compilePackage, type CompiledModule, type Exports } from './modules';

/** What a simulated process of n8n gives the package in place of the real one. */
export interface ProcessGlobals {
	/** Unix time in milliseconds. */
	now: () => number;
	/** From 0 up to, but not including, 1. */
	random: () => number;
	sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
	randomUUID: () => string;
}

/** The two nodes, with module state of their own. Each is loaded when it is first used. */
export interface LoadedPackage {
	readonly action: INodeType;
	readonly trigger: INodeType;
	/** A module, by its path below nodes/MessagingChannel: for the judge, who looks at what a process keeps. */
	moduleOf: (path: string) => Exports;
}

/** A function of a module that a mistake changes. */
export interface Wrap {
	/** The path of the module in the repository. */
	path: string;
	/** The name that it is exported by. */
	name: string;
	/** Gets the function of the module. Called anew in each process. */
	replace: (original: unknown) => unknown;
}

const NODES = 'nodes/MessagingChannel';

/** Nothing is collected in a simulation; what n8n drops without an answer is told otherwise. */
class NoRegistry {
	register(): void {}
}

/** An object with some properties of its own in the place of another's. */
function withOwn<T extends object>(original: T, own: Record<string, unknown>): T {
	const properties = Object.entries(own).map(([name, value]) => [name, { value }]);
	return Object.create(original, Object.fromEntries(properties) as PropertyDescriptorMap) as T;
}

type Load = (path: string) => Exports;
type Modules = ReadonlyMap<string, CompiledModule>;

const realRequire = createRequire(join(repository, 'package.json'));

/** Modules of other packages, by their names. To look one up takes long. */
const realModules = new Map<string, object>();

function realModule(name: string): object {
	const module = realModules.get(name) ?? (realRequire(name) as object);
	realModules.set(name, module);
	return module;
}

/** Creates a loader whose instances share what it is given, and have state of their own. */
function createLoader(
	modules: Modules,
	{ now, random, sleep, randomUUID }: ProcessGlobals,
	wraps: readonly Wrap[],
	loadShared?: Load,
): Load {
	class SimulatedDate extends Date {
		constructor(...values: [] | [string | number | Date]) {
			super(...((values.length === 0 ? [now()] : values) as [number]));
		}
		static override now = now;
	}
	const math = withOwn(Math, { random });
	const shims = new Map([
		['n8n-workflow', withOwn(realModule('n8n-workflow'), { sleep })],
		['crypto', withOwn(realModule('crypto'), { randomUUID })],
	]);
	const loaded = new Map<string, Exports>();
	const load: Load = (path) => {
		const known = loaded.get(path);
		if (known) return known;
		const module = modules.get(path);
		if (!module) throw new Error(`There is no module ${path}`);
		if (loadShared && !module.isOwn) return loadShared(path);
		const exports: Exports = {};
		loaded.set(path, exports);
		const require = (name: string): unknown => {
			const imported = module.imports.get(name);
			return imported === undefined ? (shims.get(name) ?? realModule(name)) : load(imported);
		};
		module.run(exports, require, SimulatedDate as DateConstructor, math, NoRegistry, { now });
		for (const { path: wrapped, name, replace } of wraps)
			if (wrapped === path) exports[name] = replace(exports[name]);
		return exports;
	};
	return load;
}

/** What all processes share must not ask for these. */
const notShared = (): never => {
	throw new Error('A module that all processes share uses the state of one');
};

const NO_GLOBALS: ProcessGlobals = {
	now: notShared,
	random: notShared,
	sleep: notShared,
	randomUUID: notShared,
};

/** The package that processes start with. */
interface InstalledPackage {
	modules: Modules;
	wraps: readonly Wrap[];
	loadShared?: Load;
}

let current: InstalledPackage | undefined;

interface Installation {
	/** The functions that a mistake changes. */
	wraps?: readonly Wrap[];
	/** Whether all processes share the modules without state, which is faster. */
	shares?: boolean;
}

/** Lets processes start with the code of the package from now on. */
export function installPackage({ wraps = [], shares = true }: Installation = {}): void {
	const modules = compilePackage();
	current = { modules, wraps, ...(shares && { loadShared: createLoader(modules, NO_GLOBALS, wraps) }) };
}

/** A new instance of the shipped package, as a process of n8n has one. */
export function loadPackage(globals: ProcessGlobals): LoadedPackage {
	if (!current) installPackage();
	const { modules, wraps, loadShared } = current as InstalledPackage;
	const load = createLoader(modules, globals, wraps, loadShared);
	const classOf = (name: string) => load(`${NODES}/${name}.node`)[name] as new () => INodeType;
	let trigger: INodeType | undefined;
	return {
		get action() {
			// The panel, which the constructor makes, is never looked at here.
			return classOf('MessagingChannel').prototype as INodeType;
		},
		moduleOf: (path) => load(`${NODES}/${path}`),
		get trigger() {
			return (trigger ??= new (classOf('MessagingChannelTrigger'))());
		},
	};
}
