// Loads packages as n8n does at its start and prints what the last took: node --expose-gc loadPackage.cjs <n8n> <package>…
const { createRequire } = require('node:module');
const { setTimeout: sleep } = require('node:timers/promises');

// Threads that a package starts are up by then.
const SETTLE_MS = 300;

function memory() {
	global.gc();
	const { heapUsed, external } = process.memoryUsage();
	return (heapUsed + external) / 1024 / 1024;
}

async function main([n8n, ...directories]) {
	const { LazyPackageDirectoryLoader } = createRequire(n8n)('n8n-core');
	let loaded;
	for (const directory of directories) {
		const loader = new LazyPackageDirectoryLoader(directory);
		const before = memory();
		const started = performance.now();
		await loader.loadAll();
		const ms = performance.now() - started;
		await sleep(SETTLE_MS);
		loaded = { ms, megabytes: memory() - before, nodes: loader.types.nodes.length };
	}
	process.stdout.write(`\nLOADED ${JSON.stringify(loaded)}\n`, () => process.exit());
}

main(process.argv.slice(2));
