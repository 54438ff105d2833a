import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The files below a path in the order of their names: itself when it is one, and none when it is missing. */
export async function filesIn(path: string): Promise<string[]> {
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
