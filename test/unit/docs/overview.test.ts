import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

import { page, root } from './pages';

/** The chunks of a picture, whose checksums must be right. */
function chunksOf(name: string): Array<{ type: string; data: Buffer }> {
	const bytes = readFileSync(join(root, 'docs', 'images', `${name}.png`));
	const chunks = [];
	for (let at = 8; at < bytes.length;) {
		const end = at + 8 + bytes.readUInt32BE(at);
		expect(bytes.readUInt32BE(end)).toBe(crc32(bytes.subarray(at + 4, end)));
		chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, end) });
		at = end + 4;
	}
	return chunks;
}

test('the README shows an animated picture of three panels, each as it was taken', () => {
	expect(page('README.md').text).toContain('(docs/images/overview.png)');
	const frames: Buffer[][] = [];
	let sequence = 0;
	for (const { type, data } of chunksOf('overview')) {
		if (type === 'acTL') expect([data.readUInt32BE(0), data.readUInt32BE(4)]).toEqual([3, 3]);
		if (type === 'fcTL' || type === 'fdAT') expect(data.readUInt32BE(0)).toBe(sequence++);
		if (type === 'fcTL') frames.push([]);
		if (type === 'IDAT') frames.at(-1)?.push(data);
		if (type === 'fdAT') frames.at(-1)?.push(data.subarray(4));
	}
	const panels = ['trigger', 'template', 'advice'].map((name) =>
		chunksOf(name)
			.filter(({ type }) => type === 'IDAT')
			.map(({ data }) => data),
	);
	expect(frames.map((parts) => Buffer.concat(parts).equals(Buffer.concat(panels.shift() ?? [])))).toEqual([
		true,
		true,
		true,
	]);
});
