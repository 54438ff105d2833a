import { join, resolve } from 'node:path';

/** The root of this repository. */
export const repository = resolve(__dirname, '..', '..', '..');

/** What the harness installs and keeps between runs; git-ignored. */
export const workshop = join(repository, '.n8n');
