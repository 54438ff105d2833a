import manifest from '../package.json';

const { name, author } = manifest;

/** Whether the package is on npm. No version is published before the real author stands in package.json. */
const isOnNpm = !author.email.endsWith('.example');

const START = '<!-- install: written by npm run docs -->';
const END = '<!-- /install -->';

const FORMS: Record<string, string> = isOnNpm
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

/** The page with how the package is installed today. */
export function withInstallText(page: string, text: string): string {
	const form = FORMS[page];
	const [before, rest] = text.split(START);
	const after = rest?.split(END)[1];
	if (form === undefined) return text;
	if (after === undefined) throw new Error(`${page} has no '${START}' with '${END}' after it`);
	return `${before}${START}\n\n${form}\n\n${END}${after}`;
}
