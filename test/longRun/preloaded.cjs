// Preloaded into n8n: answers on GAUGE_PORT what n8n holds after a full garbage collection.
const { readdirSync, readlinkSync } = require('node:fs');
const { createServer } = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const mishaps = [];

function watchMishaps() {
	const record = (kind) => (reason) => mishaps.push(`${kind}: ${reason?.stack ?? reason}`);
	process.on('unhandledRejection', record('unhandled rejection'));
	process.on('uncaughtExceptionMonitor', record('uncaught exception'));
	process.on('warning', (warning) => {
		if (warning.name === 'MaxListenersExceededWarning') record('too many listeners')(warning);
	});
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

/** Twice, with a pause: what finalizers release is collected by the second one. */
async function collectAll() {
	collectGarbage();
	await sleep(10);
	collectGarbage();
}

function openSockets() {
	let sockets = 0;
	for (const fd of readdirSync('/proc/self/fd')) {
		try {
			if (readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:')) sockets += 1;
		} catch {
			// The one that the folder was read with is closed by now.
		}
	}
	return sockets;
}

async function read() {
	await collectAll();
	const { heapUsed, external, rss } = process.memoryUsage();
	return {
		heapUsed,
		external,
		rss,
		sockets: openSockets(),
		timers: process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length,
		mishaps,
	};
}

function serve() {
	const server = createServer(async (_, response) => {
		response.writeHead(200, { connection: 'close' }).end(JSON.stringify(await read()));
	});
	server.listen(Number(process.env.GAUGE_PORT), '127.0.0.1');
	server.unref();
}

// Threads are preloaded too.
if (isMainThread) {
	watchMishaps();
	serve();
}
