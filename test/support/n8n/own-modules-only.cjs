// Preloaded into n8n: it is installed inside this repository, and would find the development tools of the repository.
const { realpathSync } = require('node:fs');
const Module = require('node:module');
const { join, sep } = require('node:path');

const tools = realpathSync(join(__dirname, '..', '..', '..', 'node_modules')) + sep;
const resolve = Module._resolveFilename;

Module._resolveFilename = function (request, ...rest) {
	const file = resolve.call(this, request, ...rest);
	if (!file.startsWith(tools)) return file;
	throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
};
