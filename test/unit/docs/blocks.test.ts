import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { problemsOfNodes } from './nodes';
import { blocksOf, codeSpansOf, pages, root, textOf, type Block } from './pages';

const manifest = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };

/** What is wrong with a block, by the language that it says it is in. Another language is wrong by itself. */
const CHECKS: Record<string, (code: string) => string[]> = {
	json: problemsOfJson,
	sh: problemsOfCommands,
	ts: (code) => (isInAFile(code, ['nodes'], '.ts') ? [] : ['stands in no file of the code']),
	nginx: (code) => (isInAFile(code, ['docs'], '.conf') ? [] : ['is no part of a file in docs']),
	// GitHub shows what is wrong with a picture; a text is only shown.
	mermaid: () => [],
	text: () => [],
};

/** What is wrong with a block of code in the documentation. */
function problemsOfBlock({ language, code }: Pick<Block, 'language' | 'code'>): string[] {
	const check = Object.hasOwn(CHECKS, language) ? CHECKS[language] : undefined;
	return check?.(code) ?? [`is in '${language}', a language that nothing checks`];
}

/** What is wrong with an `npm` command, variables before it or not: that package.json has no such script. */
function problemsOfCommand(command: string): string[] {
	const [, script] = /^(?:[A-Z0-9_]+=\S+ )*npm (?:run )?([\w:-]+)( -- \S.*)?$/.exec(command) ?? [];
	return script !== undefined && script in manifest.scripts ? [] : [`'${command}' is no script`];
}

function problemsOfCommands(code: string): string[] {
	const commands = code.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
	return commands.flatMap(problemsOfCommand);
}

function problemsOfJson(code: string): string[] {
	try {
		return problemsOfNodes(JSON.parse(code));
	} catch (error) {
		return [String(error)];
	}
}

function isInAFile(code: string, folders: string[], ending: string): boolean {
	return folders.some((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith(ending))
			.some((file) => textOf(join(folder, file)).includes(code)),
	);
}

const blocks = pages.flatMap(blocksOf);

test('there are blocks to check', () => {
	expect(blocks.length).toBeGreaterThan(5);
});

test.each(blocks)('the block at $where is right', (block) => {
	expect(problemsOfBlock(block)).toEqual([]);
});

test('every npm command in a sentence or a table is a script', () => {
	const commands = pages.flatMap(codeSpansOf).filter((code) => /^npm (run |test|start)/.test(code));
	expect(commands.length).toBeGreaterThan(8);
	expect(commands.flatMap(problemsOfCommand)).toEqual([]);
});
