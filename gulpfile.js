const { spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { Transform } = require('node:stream');
const { dest, parallel, series, src, watch } = require('gulp');

const clean = () => rm('dist', { recursive: true, force: true });

const compile = () =>
	spawn(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
		stdio: 'inherit',
	});

/** The compiler indents with four spaces. Tabs, as in the source, make the package smaller. */
const indent = () =>
	src('dist/**/*.js', { base: '.' })
		.pipe(
			new Transform({
				objectMode: true,
				transform(file, _, done) {
					const code = String(file.contents).replace(/^(?: {4})+/gm, ({ length }) => '\t'.repeat(length / 4));
					file.contents = Buffer.from(code);
					done(null, file);
				},
			}),
		)
		.pipe(dest('.'));

/** What n8n reads beside the code: icons, codex files and output schemas. */
const assets = () =>
	src(['icons/*.svg', 'nodes/**/*.json'], { base: '.', encoding: false }).pipe(dest('dist'));

/** What n8n reads at its start in place of the code, which then waits for the first use of a node. */
const metadata = () =>
	spawn(process.execPath, [require.resolve('n8n-core/bin/generate-metadata')], { stdio: 'inherit' });

/** The lists of methods are for translations of n8n's own nodes. */
const dropMethods = () => rm('dist/methods', { recursive: true, force: true });

const build = series(clean, parallel(series(compile, indent), assets), metadata, dropMethods);

module.exports = {
	build,
	dev: series(build, () => watch(['nodes/**', 'credentials/**', 'icons/**'], build)),
};
