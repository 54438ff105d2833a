import { join, resolve } from 'node:path';

/** The root of this repository. */
export const repository = resolve(__dirname, '..', '..', '..');

/** What the harness installs and keeps between runs; git-ignored. */
export const workshop = join(repository, '.n8n');

/** A real n8n that can be started. */
export interface N8nInstall {
	version: string;
	/** What is kept of it between runs, such as its prepared database. */
	directory: string;
	/** A Node binary of this machine: the one that runs it, or ours when it comes from outside. */
	node: string;
	/** n8n's entry script, or the program of `N8N_COMMAND`. */
	bin: string;
	/** Whether `N8N_COMMAND` starts it. */
	isFromOutside: boolean;
}
