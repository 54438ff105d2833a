import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

import { MessagingChannelApi } from '../../../credentials/MessagingChannelApi.credentials';
import { anchorsOf, page, pages, proseOf, root, textOf, type Page } from './pages';

const CREDENTIAL = new MessagingChannelApi();

/** Where the links and pictures of a page lead. */
const targetsOf = (one: Page): string[] =>
	[...proseOf(one).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);

/** Whether a link within the repository leads somewhere. */
function leads(file: string, target: string): boolean {
	const [path = '', anchor] = target.split('#');
	const goal = path === '' ? file : normalize(join(dirname(file), path));
	if (!existsSync(join(root, goal))) return false;
	return anchor === undefined || anchorsOf({ file: goal, text: textOf(goal) }).includes(anchor);
}

const isWithin = (target: string): boolean => !/^[a-z]+:/.test(target);

test.each(pages)('every link and picture of $file leads somewhere', (one) => {
	expect(targetsOf(one).filter((target) => isWithin(target) && !leads(one.file, target))).toEqual([]);
});

test('every link out of the repository is one of https', () => {
	const out = pages.flatMap(targetsOf).filter((target) => !isWithin(target));
	expect(out.filter((target) => !target.startsWith('https://'))).toEqual([]);
});

test('README.md leads to every page in docs', () => {
	const readme = targetsOf(page('README.md'));
	const missing = pages.filter(({ file }) => file.startsWith('docs/') && !readme.includes(file));
	expect(missing.map(({ file }) => file)).toEqual([]);
});

test('the documentation that the panel links to is there', () => {
	const urls = [
		CREDENTIAL.documentationUrl,
		...['MessagingChannel', 'MessagingChannelTrigger'].flatMap((name) =>
			[...textOf(`nodes/MessagingChannel/${name}.node.json`).matchAll(/"url": "([^"]+)"/g)].map(
				([, url = '']) => url,
			),
		),
	];
	expect(urls).toHaveLength(5);
	const anchors = ['readme', ...anchorsOf(page('README.md'))];
	expect(urls.filter((url) => !anchors.includes(url.split('#')[1] ?? ''))).toEqual([]);
});

test.each(['docs/none.md', 'docs/sending.md#no-such-heading', '#nowhere', 'docs/images/none.png'])(
	'that %s leads nowhere is seen',
	(target) => {
		expect(leads('README.md', target)).toBe(false);
	},
);
