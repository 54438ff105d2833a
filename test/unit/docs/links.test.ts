import { MessagingChannelApi } from '../../../credentials/MessagingChannelApi.credentials';
import { page, pages, textOf } from './pages';

const readme = page('README.md').text;

const linksOfNode = (name: string): string[] =>
	[...textOf(`nodes/MessagingChannel/${name}.node.json`).matchAll(/"url": "([^"]+)"/g)].map(
		([, url = '']) => url,
	);

test('the documentation that the panel links to is there', () => {
	const urls = [
		new MessagingChannelApi().documentationUrl,
		...linksOfNode('MessagingChannel'),
		...linksOfNode('MessagingChannelTrigger'),
		...linksOfNode('MessagingChannelMemory'),
	];
	const headings = [...readme.matchAll(/^#+ (\w+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
	expect(urls).toHaveLength(7);
	expect(urls.filter((url) => !['readme', ...headings].includes(url.split('#')[1] ?? ''))).toEqual([]);
});

test('README.md leads to every page in docs', () => {
	const missing = pages.filter(({ file }) => file.startsWith('docs/') && !readme.includes(`](${file})`));
	expect(missing.map(({ file }) => file)).toEqual([]);
});
