import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { containerEngine } from './containerEngine.mjs';
import { endChildrenOnSignal, ensureDependencies, repository } from './install.mjs';

const OPTIONS = {
	'--image': "takes n8n's image from Docker or Podman (Linux)",
	'--service-only': 'starts the service and the phone without n8n',
	'--once': 'ends when the example has answered one message',
};
const args = process.argv.slice(2);
const wrong = args.filter((name) => !Object.hasOwn(OPTIONS, name));
if (wrong.length > 0) {
	const isHelp = wrong.every((name) => ['--help', '-h'].includes(name));
	if (!isHelp) console.error(`There is no option ${wrong.join(' ')}.`);
	console.log('npm start -- OPTION');
	for (const [name, does] of Object.entries(OPTIONS)) console.log(`  ${name.padEnd(16)}${does}`);
	console.log('docs/try-it.md tells more.');
	process.exit(isHelp ? 0 : 2);
}
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
	console.error(`This is Node.js ${process.versions.node}: install 20.19 or newer from https://nodejs.org.`);
	process.exit(1);
}
const installed = join(repository, '.n8n');
const isInstalled = existsSync(installed) && readdirSync(installed).some((name) => /^\d/.test(name));
const startsOwnN8n = !process.env.N8N_URL && !process.env.N8N_COMMAND && !args.includes('--service-only');

const letChildrenBe = endChildrenOnSignal();
if (args.includes('--image')) process.env.N8N_COMMAND = join(repository, 'scripts', 'n8n-image.mjs');
else if (startsOwnN8n && !isInstalled) {
	const engine = containerEngine();
	if (engine)
		console.log(
			`To take n8n's image instead of 2 GB from npm, run: npm start -- --image (it uses ${engine})`,
		);
}
await ensureDependencies();
letChildrenBe();
// In this process: each further one would get the signal of a terminal too, and hand it on once more.
const require = createRequire(import.meta.url);
// Its cache would stay in the temporary folder.
process.env.TSX_DISABLE_CACHE = '1';
require('tsx/cjs');
require('./start.ts');
