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
