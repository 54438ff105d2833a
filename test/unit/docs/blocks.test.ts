import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { messageForChat, messageWith } from '../../../nodes/MessagingChannel/sendAndWait/messageLinks';
import type { Question } from '../../../nodes/MessagingChannel/sendAndWait/question';
import { problemsOfNodes } from './nodes';
import { blocksOf, codeSpansOf, pages, root, textOf, type Block } from './pages';

const manifest = JSON.parse(textOf('package.json')) as { name: string; scripts: Record<string, string> };

/** What is wrong with a block, by the language that it says it is in. Another language is wrong by itself. */
const CHECKS: Record<string, (code: string) => string[]> = {
	json: problemsOfJson,
	sh: problemsOfCommands,
	ts: (code) => (isInAFile(code, ['nodes'], '.ts') ? [] : ['stands in no file of the code']),
	nginx: (code) => (isInAFile(code, ['docs'], '.conf') ? [] : ['is no part of a file in docs']),
	// GitHub shows what is wrong with a picture.
	mermaid: () => [],
	text: (code) => (isKnownText(code.trimEnd()) ? [] : ['is a text that nothing checks']),
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

function isKnownText(text: string): boolean {
	return text === manifest.name || isQuestion(text) || isTree(text);
}

/** The message of Send and Wait for Response, as the node writes it without options. */
function isQuestion(text: string): boolean {
	const link = 'https://n8n.example.com/webhook-waiting/…';
	const question: Question = {
		message: 'Ship order 1234?',
		reply: { type: 'approval', approve: 'Approve', decline: 'Decline' },
		isAttributed: false,
	};
	const inChat = { code: 'K7F4', responders: [] };
	return [messageWith(question, () => link), messageForChat(question, inChat, link)].includes(text);
}

/** The map of the repository: each line a path that exists, indented by tabs or spaces under its folder. */
function isTree(text: string): boolean {
	const folders: string[] = [];
	const paths = text.split('\n').flatMap((line) => {
		const [, indent = '', names = ''] = /^(\s*)(\S+(?: \S+)*)(?:\s{2,}.*)?$/.exec(line) ?? [];
		const depth = indent.length / 2;
		const all = names.split(' ').map((name) => [...folders.slice(0, depth), name].join(''));
		folders[depth] = names;
		return all;
	});
	return paths.length > 5 && paths.every((path) => existsSync(join(root, path)));
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
