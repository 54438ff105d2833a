const { spawn } = require('node:child_process');
const { cp, mkdir, rename, rm, writeFile } = require('node:fs/promises');
const { dirname, join, posix } = require('node:path');
const { Transform } = require('node:stream');
const esbuild = require('esbuild');
const { dest, parallel, series, src, watch } = require('gulp');
const { minify } = require('terser');

const { n8n } = require('./package.json');

const BUNDLE = 'dist/bundle.js';

/** The package is made here and takes the place of `dist` when it is whole: nobody installs a half of it. */
const WORKSHOP = join(__dirname, '.build');

const inWorkshop = (file) => join(WORKSHOP, file);

const remove = (folder) => rm(folder, { recursive: true, force: true });

async function clean() {
	await remove(WORKSHOP);
	await mkdir(WORKSHOP);
	await cp('package.json', inWorkshop('package.json'));
}

const checkTypes = () =>
	spawn(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
		stdio: 'inherit',
	});

/** The code of the sources of files that n8n loads, as one module. */
async function codeOf(files) {
	const sources = files.map((file) => file.replace(/^dist/, '.').replace(/\.js$/, '.ts'));
	const { outputFiles } = await esbuild.build({
		stdin: {
			contents: sources.map((source) => `export * from '${source}';`).join('\n'),
			resolveDir: __dirname,
		},
		bundle: true,
		write: false,
		minifySyntax: true,
		platform: 'node',
		format: 'cjs',
		target: 'es2022',
		packages: 'external',
		// `require()` finds what n8n provides, `import()` does not.
		supported: { 'dynamic-import': false },
		// esbuild drops the strict mode of the sources, in which a failed assignment throws.
		banner: { js: "'use strict';" },
	});
	// Only variables inside functions get short names, so that stack traces and reviewers find the functions of the sources.
	// Lines stay short for the same reason; indentation would take 4 kB of the package.
	const { code } = await minify(outputFiles[0].text, {
		// Constants, values that are used once and functions of one expression take the place of their names; conditions get shorter.
		compress: {
			defaults: false,
			unused: true,
			toplevel: true,
			evaluate: true,
			reduce_vars: true,
			reduce_funcs: false,
			collapse_vars: true,
			join_vars: true,
			inline: 1,
			conditionals: true,
			comparisons: true,
			booleans: true,
			properties: true,
			arrows: true,
			side_effects: true,
		},
		keep_classnames: true,
		format: { beautify: true, indent_level: 0, ecma: 2020 },
	});
	return code;
}

async function write(file, code) {
	await mkdir(dirname(inWorkshop(file)), { recursive: true });
	await writeFile(inWorkshop(file), code);
}

/**
 * The code of all nodes is in one file: a quarter smaller, and loaded at once. The files that n8n loads take their classes
 * from there.
 */
async function bundle() {
	// n8n loads the credential at its start, even if no workflow uses it.
	for (const file of n8n.credentials) await write(file, await codeOf([file]));
	await write(BUNDLE, await codeOf(n8n.nodes));
	for (const file of n8n.nodes) {
		const path = posix.relative(posix.dirname(file), BUNDLE);
		await write(file, `'use strict';\nmodule.exports = require('${path}');\n`);
	}
}

const icons = () => src('icons/*.svg', { base: '.', encoding: false }).pipe(dest(inWorkshop('dist')));

/** What n8n reads beside the code: codex files and output schemas. */
const data = () =>
	src('nodes/**/*.json', { base: '.' })
		.pipe(
			new Transform({
				objectMode: true,
				transform(file, _, done) {
					file.contents = Buffer.from(JSON.stringify(JSON.parse(String(file.contents))));
					done(null, file);
				},
			}),
		)
		.pipe(dest(inWorkshop('dist')));

/** What n8n reads at its start in place of the code, which then waits for the first use of a node. */
const metadata = () =>
	spawn(process.execPath, [require.resolve('n8n-core/bin/generate-metadata')], {
		cwd: WORKSHOP,
		stdio: 'inherit',
	});

/** The lists of methods are for translations of n8n's own nodes. */
const dropMethods = () => remove(inWorkshop('dist/methods'));

async function replaceDist() {
	// It is moved away, as removing it would take longer. Before the first build there is none.
	await rename('dist', inWorkshop('earlier')).catch(() => undefined);
	await rename(inWorkshop('dist'), 'dist');
	await remove(WORKSHOP);
}

const build = series(clean, parallel(bundle, icons, data), metadata, dropMethods, replaceDist);

/** Does not return the watcher: the first file that cannot be bundled would end it. */
async function watchSources() {
	watch(['nodes/**', 'credentials/**', 'icons/**'], build);
}

module.exports = {
	build: parallel(checkTypes, build),
	withoutTypes: build,
	dev: series(build, watchSources),
};
