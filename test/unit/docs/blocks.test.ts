import { problemsOfBlock, problemsOfCommand } from './blocks';
import { blocksOf, codeSpansOf, pages } from './pages';

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

const node = (parameters: object, type = 'n8n-nodes-messaging-channel.messagingChannel'): string =>
	JSON.stringify({ nodes: [{ type, parameters }], connections: {} });

describe('the checks refuse', () => {
	test.each([
		['an unknown language', 'cobol', 'STOP RUN.'],
		['no language', '', 'npm start'],
		['broken JSON', 'json', '{ "a": 1, }'],
		[
			'a parameter that the panel has not',
			'json',
			'{ "resource": "tag", "operation": "create", "nam": "VIP" }',
		],
		['an operation that is not there', 'json', '{ "resource": "tag", "operation": "paint" }'],
		['an unknown option', 'json', node({ resource: 'tag', operation: 'create', options: { speed: 1 } })],
		['a node of another package', 'json', node({}, 'n8n-nodes-base.set')],
		[
			'an unknown option of the trigger',
			'json',
			node({ options: { chat: '1' } }, 'n8n-nodes-messaging-channel.messagingChannelTrigger'),
		],
		['a script that is not there', 'sh', 'npm run deploy'],
		['an unknown command', 'sh', 'rm -rf dist'],
		['code that stands nowhere', 'ts', 'export const nothing = 0;'],
		['a setting that stands nowhere', 'nginx', 'server { listen 81; }'],
		['a kind of picture that nothing checks', 'mermaid', 'pie'],
		['a broken arrow', 'mermaid', 'flowchart LR\n  a["Send"] -> b["Queue"]'],
		['a box without words', 'mermaid', 'flowchart LR\n  a["Send"] --> b'],
		['a text that nothing checks', 'text', 'Lorem ipsum'],
		['a folder that is not there', 'text', 'docs/\nnodes/\nscripts/\ntest/\ntest/unit/\ntest/nothing/'],
	])('%s', (_, language, code) => {
		expect(problemsOfBlock({ language, code })).toHaveLength(1);
	});
});
