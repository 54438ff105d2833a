import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import manifest from '../../package.json';
import { close, listen } from '../support/localServer';
import { repository } from '../support/n8n/paths';

const PASS = 'node --version';
const FAIL = 'node --no-such-flag';

let folder: string;
let registry: Server;
let registryUrl: string;
/** What npm has given to the registry. */
let published: string[];

beforeEach(async () => {
	published = [];
	registry = createServer((request, response) => {
		if (request.method === 'PUT') published.push(request.url ?? '');
		request.resume().on('end', () => response.writeHead(request.method === 'PUT' ? 200 : 404).end('{}'));
	});
	registryUrl = await listen(registry);
	folder = mkdtempSync(join(tmpdir(), 'publish-'));
});

afterEach(async () => {
	await close(registry);
	rmSync(folder, { recursive: true, force: true });
});

/** Runs `npm publish` as a maintainer would, who is logged in, with these gates. */
async function publish(gates: string, ...flags: string[]): Promise<string> {
	const scripts = { ...manifest.scripts, build: PASS, gates };
	writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts }));
	copyFileSync(join(repository, '.npmrc'), join(folder, '.npmrc'));
	const userconfig = join(folder, 'user.npmrc');
	writeFileSync(userconfig, `${registryUrl.replace('http:', '')}/:_authToken=token`);
	// Without what tells npm that it runs on GitHub.
	const env = { PATH: process.env.PATH, HOME: folder, npm_config_userconfig: userconfig };
	const args = ['publish', '--registry', `${registryUrl}/`, ...flags];
	return await new Promise((resolve) => {
		execFile('npm', args, { cwd: folder, env }, (_, stdout, stderr) => resolve(stdout + stderr));
	});
}

test('nobody publishes from their own machine, where npm cannot say how the package was built', async () => {
	expect(await publish(PASS)).toContain('provenance generation not supported');
	expect(published).toEqual([]);
});

describe('in an emergency, without that statement', () => {
	const flags = ['--no-provenance', '--ignore-scripts=false'];

	test('npm builds the package and runs the gates first', async () => {
		await publish(PASS, ...flags);
		expect(published).toEqual([`/${manifest.name}`]);
	});

	test('a gate that fails keeps the package back', async () => {
		expect(await publish(FAIL, ...flags)).toContain('npm run build && npm run gates');
		expect(published).toEqual([]);
	});
});
