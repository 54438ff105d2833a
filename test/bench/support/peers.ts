import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { workshop } from '../../support/n8n/paths';
import { run } from '../../support/n8n/run';

/** Community packages that a user could pick instead. */
const PEERS = [
	{ title: 'WAHA', name: '@devlikeapro/n8n-nodes-waha', version: '2025.2.9' },
	{ title: 'Evolution API', name: 'n8n-nodes-evolution-api', version: '1.0.4' },
	{ title: 'Resend', name: 'n8n-nodes-resend', version: '2.3.2' },
	{ title: 'Green API', name: '@green-api/n8n-nodes-whatsapp-greenapi', version: '0.4.12' },
] as const;

/** An installed community package. */
export interface Peer {
	title: (typeof PEERS)[number]['title'];
	directory: string;
	/** The folder that holds it and all that it needs. */
	modules: string;
}

let installed: Promise<Peer[]> | undefined;

/**
 * The packages to compare with, installed as n8n does. Those that the registry does not have are left out and named;
 * one that is put into its folder by hand counts as installed.
 */
export const installedPeers = async (): Promise<Peer[]> => await (installed ??= install());

async function install(): Promise<Peer[]> {
	const peers: Peer[] = [];
	for (const { title, name, version } of PEERS) {
		const folder = join(workshop, 'peers', name);
		const modules = join(folder, 'node_modules');
		const directory = join(modules, name);
		if (!existsSync(directory)) {
			await mkdir(folder, { recursive: true });
			await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
			await run('npm', ['install', '--ignore-scripts', '--legacy-peer-deps', `${name}@${version}`], {
				cwd: folder,
			}).catch(() => console.log(`${title} (${name}@${version}) cannot be had here and is left out`));
		}
		if (existsSync(directory)) peers.push({ title, directory, modules });
	}
	return peers;
}
