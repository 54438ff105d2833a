import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { filesIn } from '../files';

/** One short hash over the names and contents of files; folders count with everything in them, missing ones as nothing. */
export async function hashOf(root: string, paths: string[]): Promise<string> {
	const hash = createHash('sha256');
	for (const file of (await Promise.all(paths.map(async (path) => await filesIn(join(root, path))))).flat()) {
		hash
			.update(relative(root, file))
			.update('\0')
			.update(await readFile(file));
	}
	return hash.digest('hex').slice(0, 16);
}
