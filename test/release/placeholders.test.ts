import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { repository } from '../support/n8n/paths';

/** What the workflow's check before it publishes says about a package of this owner. */
function check(owner: string, email: string) {
	const folder = mkdtempSync(join(tmpdir(), 'placeholders-'));
	const page = `https://github.com/${owner}/n8n-nodes-messaging-channel`;
	const manifest = {
		author: { name: 'Ada Lovelace', email },
		repository: { url: `git+${page}.git` },
		homepage: `${page}#readme`,
		bugs: { url: `${page}/issues` },
	};
	writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
	const script = join(repository, 'scripts', 'publishable.mjs');
	const { status, stderr } = spawnSync('node', [script], { cwd: folder, encoding: 'utf8' });
	rmSync(folder, { recursive: true });
	return { status, stderr };
}

test('a package with a real author and repository can be published', () => {
	expect(check('lovelace', 'ada@lovelace.org')).toEqual({ status: 0, stderr: '' });
});

test('placeholders are refused, each by its name', () => {
	const { status, stderr } = check('messaging-channel', 'maintainers@messaging-channel.example');
	expect(status).toBe(1);
	for (const field of ['author.email', 'repository.url', 'homepage', 'bugs.url'])
		expect(stderr).toContain(`${field} is '`);
});
