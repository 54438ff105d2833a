import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import manifest from '../package.json';

const { name, author } = manifest;

export const root = join(__dirname, '..');

/** The text of a file of the repository. */
export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The page of the repository, which package.json alone says. */
export const repositoryUrl = manifest.repository.url.replace(/^git\+|\.git$/g, '');

/** A file whose links to the repository point to where it is now. */
export function linked(file: string): string {
	const links = new RegExp(`github\\.com/[\\w.-]+/${name}(?![\\w-])`, 'g');
	return textOf(file).replace(links, repositoryUrl.replace('https://', ''));
}

/** The text with this between the marks of a part that is written by `npm run docs`. */
export function withPart(text: string, part: 'table' | 'install', content: string): string {
	const [start, end] = [`<!-- ${part}: written by npm run docs -->`, `<!-- /${part} -->`];
	const [before, rest] = text.split(start);
	const after = rest?.split(end)[1];
	if (after === undefined) throw new Error(`There is no '${start}' with '${end}' after it`);
	return `${before}${start}\n\n${content}\n\n${end}${after}`;
}

/** Whether the package is on npm. No version is published before the real author stands in package.json. */
const isOnNpm = !author.email.endsWith('.example');

/** How the package is installed today, by page. */
export const INSTALL_TEXTS: Record<string, string> = isOnNpm
	? {
			'README.md': `Sign in to your self-hosted n8n as an owner or admin, open **Settings → Community nodes → Install**, and enter

\`\`\`text
${name}
\`\`\``,
			'docs/quickstart.md': `In n8n, open **Settings → Community nodes → Install**. Enter \`${name}\`, tick the box and press **Install**.`,
		}
	: {
			'README.md': `The package is not on npm yet, so n8n's **Settings → Community nodes → Install** does not find it.

1. With [what it needs](#try-it), clone this repository, and run \`npm ci\`, \`npm run build\` and \`npm pack\` in its folder. This makes the package's file, which ends with
   \`.tgz\`.
2. [Unpack it into n8n's folder](docs/administration.md#without-npm), and restart n8n.`,
			'docs/quickstart.md': `The package is not on npm yet, so [install it from a file](../README.md#installation). Once it is on npm: in n8n, open **Settings → Community
nodes → Install**, enter \`${name}\`, tick the box and press **Install**.`,
		};
