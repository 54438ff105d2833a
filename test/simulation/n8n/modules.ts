import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { compileFunction } from 'node:vm';

import { once } from 'lodash';
import ts from 'typescript';

import { repository } from '../../support/n8n/paths';

export type Exports = Record<string, unknown>;

/** Runs the code of a module, with what it takes for globals. */
export type RunModule = (
	exports: Exports,
	require: (name: string) => unknown,
	Date: DateConstructor,
	Math: typeof globalThis.Math,
	FinalizationRegistry: new () => Pick<FinalizationRegistry<unknown>, 'register'>,
	performance: { now: () => number },
) => void;

const PARAMETERS = ['exports', 'require', 'Date', 'Math', 'FinalizationRegistry', 'performance'];

/** A module of the package, compiled. */
export interface CompiledModule {
	run: RunModule;
	/** The paths of the modules of the package that it imports, by their names in its code. */
	imports: ReadonlyMap<string, string>;
	/** Whether each process has an instance of its own. All other modules are the same in every process. */
	isOwn: boolean;
}

/** What only code with state, time or chance contains, as TypeScript writes it. */
const USES_PROCESS = [
	/^let /m,
	/^(const \w+|exports\.\w+) = (new (Weak)?(Map|Set)\(\)|\{\}|\[\]);$/m,
	// What a factory returns can keep state.
	/^(const \w+|exports\.\w+) = \(0, \w+\.create\w+\)\(/m,
	/\bDate\.now\b|\bperformance\.now\b|\bnew Date\(\)|\bMath\.random\b|\bcrypto_1\.randomUUID\b|\bn8n_workflow_1\.sleep\b/,
	/\bFinalizationRegistry\b/,
];

/** Only the editor searches lists. Otherwise every operation would belong to the process, because of its fields. */
const NEVER_USED = 'nodes/MessagingChannel/fields/listSearch';

/** TypeScript as CommonJS, a module by itself. */
function transpile(file: string): string {
	const compilerOptions = {
		module: ts.ModuleKind.CommonJS,
		target: ts.ScriptTarget.ES2022,
		removeComments: true,
		esModuleInterop: true,
	};
	return ts.transpileModule(readFileSync(join(repository, file), 'utf8'), { compilerOptions }).outputText;
}

/** The JavaScript of each module of the package, by its path in the repository. */
function readSources(): Map<string, string> {
	const files = ['credentials', 'nodes'].flatMap((folder) =>
		readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
			posix.join(folder, ...file.split(sep)),
		),
	);
	const modules = files.filter((file) => file.endsWith('.ts'));
	return new Map(modules.map((file) => [file.replace(/\.ts$/, ''), transpile(file)]));
}

/** Compiles the package once, and finds out which of its modules each process needs for itself. */
export const compilePackage = once((): ReadonlyMap<string, CompiledModule> => {
	const sources = readSources();
	const modules = new Map<string, CompiledModule>();
	const compileModule = (path: string): CompiledModule => {
		const known = modules.get(path);
		if (known) return known;
		const source = sources.get(path);
		if (source === undefined) throw new Error(`There is no module ${path}`);
		const names = [...source.matchAll(/\brequire\("(\.[^"]+)"\)/g)].map(([, name]) => String(name));
		const imports = new Map(names.map((name) => [name, pathOf(path, name)]));
		const usesProcess = USES_PROCESS.some((pattern) => pattern.test(source));
		const importsOwn = [...imports.values()].map(compileModule).some(({ isOwn }) => isOwn);
		const module: CompiledModule = {
			run: compileFunction(source, PARAMETERS, { filename: join(repository, `${path}.js`) }) as RunModule,
			imports,
			isOwn: usesProcess || (importsOwn && path !== NEVER_USED),
		};
		modules.set(path, module);
		return module;
	};
	const pathOf = (path: string, name: string): string => {
		const file = posix.join(posix.dirname(path), name);
		return sources.has(file) ? file : `${file}/index`;
	};
	for (const path of sources.keys()) compileModule(path);
	return modules;
});
