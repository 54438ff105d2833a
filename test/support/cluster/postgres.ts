// cspell:ignore tablename schemaname
import { chownSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { Pool } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort } from '../n8n/ports';
import { run } from '../n8n/run';
import type { SecretWatch } from '../secrets/watch';
import { program, startServer, tied, type Server } from './server';

/** A PostgreSQL with an empty database for n8n. */
export interface Postgres extends Server {
	/** Where n8n finds it. The rest of the settings is in the compose file. */
	env: Record<string, string>;
	/** The rows of a query; waits for a server that is restarting. */
	query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
	/** Ends it and removes its data. */
	remove(): Promise<void>;
}

const user = 'n8n';
const database = 'n8n';

/** PostgreSQL refuses to run as root; Debian's package brings this user. */
const systemUser = userInfo().uid === 0 ? 'postgres' : undefined;

/** Starts a PostgreSQL on a free port, with its data in a temporary folder. */
export async function startPostgres(watch?: SecretWatch): Promise<Postgres> {
	const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
	if (systemUser) chownSync(folder, idOf('-u', systemUser), idOf('-g', systemUser));
	const data = join(folder, 'data');
	await run(
		...tied(
			program('initdb'),
			['-D', data, '-U', user, '--auth=trust', '--no-sync', '-E', 'UTF8'],
			systemUser,
		),
		{ cwd: '/' },
	);
	const port = await freePort();
	const server = await startServer({
		name: 'PostgreSQL',
		command: program('postgres'),
		args: ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder, '-c', 'max_connections=200'],
		port,
		user: systemUser,
		stopSignal: 'SIGINT',
	});
	const pool = new Pool({ host: '127.0.0.1', port, user, database: 'postgres' });
	// Connections break when the server is restarted, which is what the tests are about.
	pool.on('error', () => undefined);
	await untilReady(pool);
	await pool.query(`CREATE DATABASE ${database}`);
	await pool.end();
	const n8n = new Pool({ host: '127.0.0.1', port, user, database });
	n8n.on('error', () => undefined);
	return {
		...server,
		env: {
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
		},
		start: async () => {
			await server.start();
			await untilReady(n8n);
		},
		query: async <Row extends object>(sql: string, values?: unknown[]) =>
			(await n8n.query<Row>(sql, values)).rows,
		remove: async () => {
			if (watch) await lookAtTables(n8n, watch);
			await n8n.end();
			await server.stop();
			await watch?.lookAtFiles(folder);
			await rm(folder, { recursive: true, force: true });
		},
	};
}

/** Long values are compressed in the files. */
async function lookAtTables(pool: Pool, watch: SecretWatch): Promise<void> {
	const tables = await pool.query<{ name: string }>(
		`SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
	);
	for (const { name } of tables.rows) {
		const { rows } = await pool.query<{ row: string }>(`SELECT row_to_json(t)::text AS row FROM ${name} t`);
		watch.look(`the table ${name}`, rows.map(({ row }) => row).join('\n'));
	}
}

/** The port answers before the server takes queries. */
async function untilReady(pool: Pool): Promise<void> {
	for (let tries = 0; ; tries++) {
		try {
			await pool.query('SELECT 1');
			return;
		} catch (error) {
			if (tries >= 6_000) throw error;
			await sleep(20);
		}
	}
}

const idOf = (flag: '-u' | '-g', name: string) =>
	Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
