import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environment, ownerEnvironment } from './environment';
import type { N8nInstall } from './paths';
import { freePort } from './ports';
import { spawnN8n, untilReady } from './process';
import { setUpOwner } from './session';
import { underTest } from './version';

const templateOf = (install: N8nInstall) => join(install.directory, 'template');

/** Boots n8n once, so that later instances find the tables and the owner in a copy of its database. */
export async function ensureTemplate(install: N8nInstall, log: (line: string) => void): Promise<void> {
	const template = templateOf(install);
	if (existsSync(template)) return;
	const userFolder = `${template}.tmp`;
	await rm(userFolder, { recursive: true, force: true });
	await mkdir(userFolder, { recursive: true });

	const started = Date.now();
	const place = { userFolder, port: await freePort(), brokerPort: await freePort() };
	const n8n = spawnN8n(install, { ...environment(install, place), ...ownerEnvironment() });
	const url = `http://127.0.0.1:${place.port}`;
	await untilReady(n8n, url);
	if (!underTest.ownerFromEnvironment) await setUpOwner(url);
	await n8n.terminate();
	await rename(userFolder, template);
	log(
		`n8n ${install.version} is ready (its first start took ${Math.round((Date.now() - started) / 1000)} s)`,
	);
}

/** Gives a user folder that has no database yet a copy of the prepared one. */
export async function seedUserFolder(install: N8nInstall, userFolder: string): Promise<void> {
	if (existsSync(join(userFolder, '.n8n', 'database.sqlite'))) return;
	await cp(templateOf(install), userFolder, { recursive: true });
}
