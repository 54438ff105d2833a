const { spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { dest, parallel, series, src, watch } = require('gulp');

const clean = () => rm('dist', { recursive: true, force: true });

const compile = () =>
	spawn(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
		stdio: 'inherit',
	});

/** What n8n reads beside the code: icons, codex files and output schemas. */
const assets = () =>
	src(['icons/*.svg', 'nodes/**/*.json'], { base: '.', encoding: false }).pipe(dest('dist'));

const build = series(clean, parallel(compile, assets));

module.exports = {
	build,
	dev: series(build, () => watch(['nodes/**', 'credentials/**', 'icons/**'], build)),
};
