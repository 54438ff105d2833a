import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(__dirname, '../../..');

/** A page of the documentation. */
export interface Page {
	/** Path from the root of the repository. */
	file: string;
	text: string;
}

/** A fenced block of code. */
export interface Block {
	/** File and line, for the name of a test. */
	where: string;
	language: string;
	code: string;
}

/** The text of a file of the repository. */
export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Every page that users, contributors and their assistants read. */
export const pages: Page[] = [
	'README.md',
	'CONTRIBUTING.md',
	'AGENTS.md',
	'skills/n8n-messaging-channel/SKILL.md',
	'skills/n8n-messaging-channel/workflows.md',
	'examples/README.md',
	...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.md'))
		.sort()
		.map((file) => `docs/${file}`),
].map((file) => ({ file, text: textOf(file) }));

/** The page of that path. */
export function page(file: string): Page {
	const found = pages.find((one) => one.file === file);
	if (!found) throw new Error(`There is no page ${file}`);
	return found;
}

/** The fenced blocks of a page. */
export function blocksOf({ file, text }: Page): Block[] {
	return [...text.matchAll(/^( *)```(\S*)[^\n]*\n([\s\S]*?)^\1```$/gm)].map(
		({ index, 1: indent = '', 2: language = '', 3: code = '' }) => ({
			where: `${file}:${text.slice(0, index).split('\n').length}`,
			language,
			code: code.replaceAll(`\n${indent}`, '\n').slice(indent.length),
		}),
	);
}

/** The page without its fenced blocks. */
export const proseOf = ({ text }: Page): string => text.replace(/^( *)```[\s\S]*?^\1```$/gm, '');

/** What stands between single backquotes in the prose. */
export function codeSpansOf(one: Page): string[] {
	return [...proseOf(one).matchAll(/``\s?(.+?)\s?``|`([^`\n]+)`/g)].map(
		([, double, single]) => double ?? single ?? '',
	);
}
