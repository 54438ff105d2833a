// cspell:ignore fastcgi uwsgi scgi
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { repository } from '../n8n/paths';
import { freePort } from '../n8n/ports';
import { program, startServer, type Server } from './server';

/** nginx in front of n8n's parts, with the configuration that docs/scaling.md gives to users. */
export interface Nginx extends Server {
	/** `http://127.0.0.1:PORT`. */
	url: string;
	/** Has all copies of an event, or all events of an account, go to one webhook processor from now on. */
	choosePer(what: keyof typeof DECIDES): Promise<void>;
	/** Ends it and removes its files. */
	remove(): Promise<void>;
}

/** What decides which webhook processor gets an event, and the file that says so. */
const DECIDES = { event: undefined, account: 'per-account.conf' };

const documented = async (file: string) => await readFile(join(repository, 'docs', 'scaling', file), 'utf8');

/** Starts nginx in front of a main process and the webhook processors, all given by port. */
export async function startNginx(main: number, webhookProcessors: number[]): Promise<Nginx> {
	const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
	const port = await freePort();
	const writeSite = async (what: keyof typeof DECIDES) => {
		const replacement = DECIDES[what];
		const conf = await documented('nginx.conf');
		const chosen = replacement ? withMap(conf, await documented(replacement)) : conf;
		await writeFile(join(folder, 'site.conf'), here(chosen, port, main, webhookProcessors));
	};
	await writeSite('event');
	await writeFile(join(folder, 'nginx.conf'), surroundings(folder));
	const server = await startServer({
		name: 'nginx',
		command: program('nginx'),
		args: ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
		port,
	});
	return {
		...server,
		url: `http://127.0.0.1:${port}`,
		choosePer: async (what) => {
			await writeSite(what);
			await server.stop();
			await server.start();
		},
		remove: async () => {
			await server.stop();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

/** The documented site with another map of $event. */
function withMap(site: string, file: string): string {
	const map = /^map .* \$event \{\n[^}]*\}\n/m;
	return site.replace(map, () => map.exec(file)?.[0] ?? '');
}

/** The documented site with this machine's addresses in the place of the compose file's. */
function here(site: string, port: number, main: number, webhookProcessors: number[]): string {
	const server = /^\tserver n8n-webhook-\d:5678(.*)\n/gm;
	const options = server.exec(site)?.[1] ?? '';
	const servers = webhookProcessors.map((at) => `\tserver 127.0.0.1:${at}${options}\n`).join('');
	return site
		.replace(server, '')
		.replace('hash $event consistent;\n', `$&${servers}`)
		.replace('n8n-main:5678', `127.0.0.1:${main}`)
		.replace('listen 80;', `listen 127.0.0.1:${port};`);
}

/** What Debian's package or the official image have around a site. */
function surroundings(folder: string): string {
	const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
		(name) => `\t${name}_temp_path ${join(folder, name)};`,
	);
	return [
		'daemon off;',
		'worker_processes 1;',
		`pid ${join(folder, 'nginx.pid')};`,
		'events { worker_connections 1024; }',
		'http {',
		'\taccess_log off;',
		...temporary,
		`\tinclude ${join(folder, 'site.conf')};`,
		'}',
	].join('\n');
}
