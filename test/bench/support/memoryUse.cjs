// Preloaded into n8n with --expose-gc: SIGUSR2 makes it write what it holds in memory, in MB, to the file MEMORY_TO.
const { writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

function listen(file) {
	process.on('SIGUSR2', () => {
		global.gc();
		const { heapUsed, external } = process.memoryUsage();
		writeFileSync(file, JSON.stringify({ megabytes: (heapUsed + external) / 1024 / 1024 }));
	});
}

if (isMainThread && process.env.MEMORY_TO) listen(process.env.MEMORY_TO);
