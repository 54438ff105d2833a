import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

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

async function filesIn(path: string): Promise<string[]> {
	try {
		const entries = await readdir(path, { recursive: true, withFileTypes: true });
		return entries
			.filter((entry) => entry.isFile())
			.map((entry) => join(entry.parentPath, entry.name))
			.sort();
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'ENOTDIR') return [path];
		if (code === 'ENOENT') return [];
		throw error;
	}
}
