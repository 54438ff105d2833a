// Preloaded into n8n: the first SIGUSR2 begins a CPU profile, the next ends it and writes it to the file PROFILE_TO.
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector/promises');
const { isMainThread } = require('node:worker_threads');

const MICROSECONDS = 500;

function listen(file) {
	let session;
	process.on('SIGUSR2', async () => {
		if (session) {
			const { profile } = await session.post('Profiler.stop');
			writeFileSync(file, JSON.stringify(profile));
			session.disconnect();
			session = undefined;
			return;
		}
		session = new Session();
		session.connect();
		await session.post('Profiler.enable');
		await session.post('Profiler.setSamplingInterval', { interval: MICROSECONDS });
		await session.post('Profiler.start');
	});
}

if (isMainThread && process.env.PROFILE_TO) listen(process.env.PROFILE_TO);
