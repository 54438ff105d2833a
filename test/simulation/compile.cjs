/**
 * Compiles TypeScript for the processes that play histories. tsx would give each function its name whenever it is created,
 * which took about a tenth of the time.
 */
const { readFileSync } = require('node:fs');

const { transformSync } = require('@swc/core');

const OPTIONS = {
	configFile: false,
	swcrc: false,
	module: { type: 'commonjs' },
	jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
};

require.extensions['.ts'] = (module, filename) => {
	const { code } = transformSync(readFileSync(filename, 'utf8'), { ...OPTIONS, filename });
	module._compile(code, filename);
};
