const { spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { Transform } = require('node:stream');
const { dest, parallel, series, src, watch } = require('gulp');

const clean = () => rm('dist', { recursive: true, force: true });

const compile = () =>
	spawn(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
		stdio: 'inherit',
	});

const change = (text) =>
	new Transform({
		objectMode: true,
		transform(file, _, done) {
			file.contents = Buffer.from(text(String(file.contents)));
			done(null, file);
		},
	});

/**
 * The compiler indents with four spaces, and declares exports before it sets them. With tabs, as in the source, and without
 * these declarations, the package is smaller.
 */
const shorten = () =>
	src('dist/**/*.js', { base: '.' })
		.pipe(
			change((code) =>
				code
					.replace(/^(?: {4})+/gm, ({ length }) => '\t'.repeat(length / 4))
					.replace(/^(?:exports\.\w+ = )+void 0;\n/gm, ''),
			),
		)
		.pipe(dest('.'));

const icons = () => src('icons/*.svg', { base: '.', encoding: false }).pipe(dest('dist'));

/** What n8n reads beside the code: codex files and output schemas. */
const data = () =>
	src('nodes/**/*.json', { base: '.' })
		.pipe(change((text) => JSON.stringify(JSON.parse(text))))
		.pipe(dest('dist'));

/** What n8n reads at its start in place of the code, which then waits for the first use of a node. */
const metadata = () =>
	spawn(process.execPath, [require.resolve('n8n-core/bin/generate-metadata')], { stdio: 'inherit' });

/** The lists of methods are for translations of n8n's own nodes. */
const dropMethods = () => rm('dist/methods', { recursive: true, force: true });

const build = series(clean, parallel(series(compile, shorten), icons, data), metadata, dropMethods);

module.exports = {
	build,
	dev: series(build, () => watch(['nodes/**', 'credentials/**', 'icons/**'], build)),
};
