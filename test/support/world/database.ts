import { spawn } from 'node:child_process';

import { ensureN8n } from '../n8n/install';
import type { N8n } from '../n8n/instance';

/** Runs statements in the database of an n8n that runs. n8n's own Node has the driver. */
export async function runSql({ databasePath }: Pick<N8n, 'databasePath'>, statements: string): Promise<void> {
	const { node } = await ensureN8n();
	const script = `
		const { DatabaseSync } = require('node:sqlite');
		const database = new DatabaseSync(process.argv[1]);
		database.exec('PRAGMA busy_timeout = 20000');
		database.exec(process.argv[2]);`;
	const child = spawn(node, ['-e', script, databasePath, statements], { stdio: 'ignore' });
	const code = await new Promise((resolve) => child.once('close', resolve));
	if (code !== 0) throw new Error(`The database did not take: ${statements}`);
}
