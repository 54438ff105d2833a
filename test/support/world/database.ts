import { execFile } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { promisify } from 'node:util';

import { ensureN8n } from '../n8n/install';
import type { N8n } from '../n8n/instance';

type Database = Pick<N8n, 'databasePath'>;

/** Runs statements in the database of an n8n that runs. */
export async function runSql(database: Database, statements: string): Promise<void> {
	await runScript(database, 'database.exec(process.argv[2]);', [statements]);
}

/** The rows of a query in the database of an n8n that runs. */
export async function queryRows<Row>(database: Database, query: string, ...values: string[]): Promise<Row[]> {
	const script = `
		const [query, ...values] = process.argv.slice(2);
		console.log(JSON.stringify(database.prepare(query).all(...values)));`;
	return JSON.parse(await runScript(database, script, [query, ...values])) as Row[];
}

/** The Node of an n8n that is installed here has the driver; one from outside leaves it to ours. */
async function runScript({ databasePath }: Database, script: string, args: string[]): Promise<string> {
	const { node, isFromOutside } = await ensureN8n();
	if (isFromOutside && !isBuiltin('node:sqlite'))
		throw new Error(
			"With N8N_COMMAND, Node.js 22.13 or newer has to run the tests: they read n8n's database",
		);
	const open = `
		const { DatabaseSync } = require('node:sqlite');
		const database = new DatabaseSync(process.argv[1]);
		database.exec('PRAGMA busy_timeout = 120000');`;
	const { stdout } = await promisify(execFile)(node, ['-e', open + script, databasePath, ...args]);
	return stdout;
}
