// Preloaded into n8n: when the process that started it is gone, however it ended, its end of the fourth pipe closes.
const { rmSync } = require('node:fs');
const { Socket } = require('node:net');
const { isMainThread } = require('node:worker_threads');

function endWithParent() {
	const temporaryFolder = process.env.REMOVE_WHEN_ORPHANED;
	const parent = new Socket({ fd: 3, readable: true, writable: false });
	parent.once('close', () => {
		// Nobody reads what n8n prints any more; each failure to print would be one more thing to print.
		for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
		if (temporaryFolder)
			process.once('exit', () => rmSync(temporaryFolder, { recursive: true, force: true }));
		process.kill(process.pid, 'SIGTERM');
		setTimeout(() => process.kill(process.pid, 'SIGKILL'), 10_000).unref();
	});
	parent.on('error', () => undefined);
	parent.resume();
	parent.unref();
}

// Threads are preloaded too, and a second SIGTERM would end n8n before it has closed its database.
if (isMainThread) endWithParent();
