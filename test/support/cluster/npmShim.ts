import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import manifest from '../../../package.json';

/**
 * Writes an `npm` that knows one package in one version, this one, and never asks a registry. n8n installs a community
 * package with `npm view`, `npm pack` and, for its dependencies, `npm install`; this package has none.
 *
 * @returns the folder to put first into the PATH of n8n
 */
export async function writeNpmShim(folder: string, tarball: string): Promise<string> {
	const bin = join(folder, 'bin');
	const known = `${manifest.name}@${manifest.version}`;
	const script = [
		'#!/bin/sh',
		`case "$1 $2" in`,
		`"view ${known}") echo '"${manifest.version}"' ;;`,
		`"pack ${known}") cp '${tarball}' package.tgz && echo package.tgz ;;`,
		'install*) ;;',
		'*) echo "npm ERR! 404 Not Found: $2" >&2; exit 1 ;;',
		'esac',
	];
	await mkdir(bin, { recursive: true });
	await writeFile(join(bin, 'npm'), `${script.join('\n')}\n`);
	await chmod(join(bin, 'npm'), 0o755);
	return bin;
}
