import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repository } from '../support/n8n/paths';
import { readSources, transpile } from './modules';
import { MUTANTS, type Mutant } from './mutants';
import { installPackage } from './package';

const NODES = 'nodes/MessagingChannel';

/**
 * The code of a mutant, in TypeScript.
 *
 * @throws Error when the code that it replaces does not stand there exactly once
 */
export function codeOf({ name, file, find, replace }: Mutant): string {
	const [before, after, ...others] = readFileSync(join(repository, NODES, file), 'utf8').split(find);
	if (before === undefined || after === undefined || others.length > 0)
		throw new Error(`${file} does not contain the code of '${name}' exactly once`);
	return before + replace + after;
}

/** Lets processes start with the mutant of this name from now on. */
export function installMutant(name: string): void {
	const mutant = MUTANTS.find((candidate) => candidate.name === name);
	if (!mutant) throw new Error(`There is no mutant '${name}'`);
	const path = `${NODES}/${mutant.file.replace(/\.ts$/, '')}`;
	installPackage(new Map([...readSources(), [path, transpile(codeOf(mutant))]]));
}
