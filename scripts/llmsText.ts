import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryUrl } from './repositoryUrl';

/** The pages that come first, in this order. The other pages of `docs` follow. */
const FIRST = [
	'README.md',
	'docs/quickstart.md',
	'docs/quickstart-webhook.md',
	'docs/operations.md',
	'docs/events.md',
	'examples/README.md',
	'docs/recipes.md',
	'docs/troubleshooting.md',
];

/** What language models read to find the documentation: llms.txt, with a line for each page. */
export function llmsText(root: string, { name, description }: { name: string; description: string }): string {
	const docs = readdirSync(join(root, 'docs'))
		.filter((file) => file.endsWith('.md'))
		.map((file) => `docs/${file}`);
	const pages = [...new Set([...FIRST, ...docs, 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md'])];
	const lines = pages.map((page) => {
		const title = /^# (.+)$/m.exec(readFileSync(join(root, page), 'utf8'))?.[1] ?? page;
		return `- [${title}](${repositoryUrl}/raw/main/${page})`;
	});
	return `# ${name}\n\n> ${description}\n\n## Documentation\n\n${lines.join('\n')}\n`;
}
