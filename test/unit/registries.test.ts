import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../nodes');

/** The lines of module scope that hold state of the process, and each line before one. */
const registries = readdirSync(root, { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.ts'))
	.flatMap((file) => {
		const lines = readFileSync(join(root, file), 'utf8').split('\n');
		const isState = /^(export )?(const \w+ = (new (Weak)?(Map|Set)<|create\w+\(\);)|let )/;
		return lines.flatMap((line, index) =>
			isState.test(line) ? [{ at: `${file}: ${line}`, before: lines[index - 1] ?? '' }] : [],
		);
	});

test('few modules hold state, each for a reason', () => {
	expect(registries.length).toBeGreaterThan(10);
	expect(registries.length).toBeLessThanOrEqual(20);
	expect(registries.filter(({ before }) => !before.endsWith('*/'))).toEqual([]);
});
