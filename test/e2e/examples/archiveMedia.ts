import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { World } from '../../support/world/world';
import { installExample, whileActive, type Change } from './example';

/** The example that saves the files customers send. */
export function archiveMedia(world: () => World): void {
	const photo = { mimetype: 'image/jpeg', base64: Buffer.from('a photo').toString('base64') };

	/** A folder that n8n may write to by default. */
	async function archive(name: string): Promise<{ folder: string; change: Change }> {
		const folder = join(world().n8n.userFolder, '.n8n-files', name);
		await mkdir(folder, { recursive: true });
		return {
			folder,
			change: { node: 'Archive', parameter: 'assignments.assignments.0.value', value: folder },
		};
	}

	test('saves every file under a safe name, and nothing else', async () => {
		const { n8n, service } = world();
		const { folder, change } = await archive('saved');
		const id = await installExample(world(), 'archive-media', [change]);
		const from = '905551112231';
		await whileActive(world(), [id], async () => {
			await service.control.incomingMessage({ from, media: { ...photo, filename: 'Şubat (1).jpg' } });
			await service.control.incomingMessage({ from, media: { ...photo, filename: '../../evil.jpg' } });
			await service.control.incomingMessage({ from, body: 'no file' });
			const executions = await n8n.api.waitForExecutions(id, 3);
			expect(executions.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		});
		const files = (await readdir(folder)).sort();
		expect(files).toEqual([
			expect.stringMatching(/^\d{4}-\d\d-\d\d-false_905551112231_c\.us_\d+-\S*Şubat_1_\.jpg$/),
			expect.stringMatching(/^\d{4}-\d\d-\d\d-false_905551112231_c\.us_\d+-\S*evil\.jpg$/),
		]);
		for (const file of files) expect(await readFile(join(folder, file), 'utf8')).toBe('a photo');
	});
}
