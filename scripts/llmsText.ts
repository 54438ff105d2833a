import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { description, name } from '../package.json';
import { repositoryUrl, root, textOf } from './linkedPages';

const SKILL = 'skills/n8n-messaging-channel';

/** The pages by section, each with what it is for. Pages of `docs` that are not named here come last. */
const SECTIONS: Record<string, Record<string, string>> = {
	'To build workflows': {
		[`${SKILL}/SKILL.md`]: 'how to write workflows as JSON, and the mistakes that models make. Read it first',
		[`${SKILL}/parameters.md`]: 'every operation, parameter, choice and output, by the names in JSON',
		[`${SKILL}/workflows.md`]: 'the five commonest workflows, to import',
		'examples/README.md': 'twenty larger workflows, and the files to import',
		'docs/recipes.md': 'common tasks, step by step in the editor',
	},
	'To use them': {
		'README.md': 'what the package is, and how to install it',
		'docs/quickstart.md': 'a workflow that answers, in four steps',
		'docs/quickstart-webhook.md': 'events at once, by the webhook',
		'docs/sending.md': 'numbers, rate limit, duplicates, files, Request ID',
		'docs/trigger.md': 'how events are received, shared, combined and caught up',
		'docs/send-and-wait.md': 'ask a person and wait for the answer',
		'docs/chat-memory.md': 'the memory of an AI agent',
		'docs/migration.md': 'from the HTTP Request node',
		'docs/try-it.md': 'without an account',
	},
	'To look up': {
		'docs/operations.md': 'the request and the permission of each operation',
		'docs/events.md': 'what an event holds',
		'docs/limits.md': 'what the service cannot do, and what to do instead',
		'docs/troubleshooting.md': 'messages that need an explanation',
		'docs/reliability.md': 'the promises and their exceptions',
		'docs/comparison.md': "beside n8n's own nodes",
	},
	'To run n8n': {
		'docs/administration.md': 'installation, upgrades, backups, monitoring',
		'docs/scaling.md': 'queue mode',
		'docs/security.md': 'secrets, permissions, what is verified',
		'docs/performance.md': 'what sending and receiving cost',
	},
	Optional: {
		'CHANGELOG.md': 'what changed',
		'SECURITY.md': 'how to report a vulnerability',
		'CONTRIBUTING.md': 'how the code is built',
		'AGENTS.md': 'for assistants that change the code',
	},
};

/** What language models read to find the documentation: llms.txt, with a line for each page, which is Markdown. */
export function llmsText(): string {
	const named = Object.values(SECTIONS).flatMap((pages) => Object.keys(pages));
	const others = readdirSync(join(root, 'docs'))
		.map((file) => `docs/${file}`)
		.filter((file) => file.endsWith('.md') && !named.includes(file));
	const more = others.length > 0 && { 'More pages': Object.fromEntries(others.map((page) => [page, ''])) };
	const lineOf = ([page, purpose]: [string, string]): string => {
		const title = /^# (.+)$/m.exec(textOf(page))?.[1] ?? page;
		return `- [${title}](${repositoryUrl}/raw/main/${page})${purpose && `: ${purpose}`}`;
	};
	const sections = Object.entries({ ...SECTIONS, ...more }).map(
		([title, pages]) => `## ${title}\n\n${Object.entries(pages).map(lineOf).join('\n')}\n`,
	);
	return `# ${name}\n\n> ${description}\n\n${sections.join('\n')}`;
}
