import { join, resolve } from 'node:path';

/** The root of this repository. */
export const repository = resolve(__dirname, '..', '..', '..');

/** What the harness installs and keeps between runs; git-ignored. */
export const workshop = join(repository, '.n8n');

/** A real n8n, installed in a folder of its own. */
export interface N8nInstall {
	version: string;
	directory: string;
	/** The Node binary that runs it. */
	node: string;
	/** n8n's entry script. */
	bin: string;
}
