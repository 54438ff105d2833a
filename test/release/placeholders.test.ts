import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { repository } from '../support/n8n/paths';

const real = {
	author: { name: 'Ada Lovelace', email: 'ada@lovelace.org' },
	repository: { url: 'git+https://github.com/lovelace/n8n-nodes-messaging-channel.git' },
	homepage: 'https://github.com/lovelace/n8n-nodes-messaging-channel#readme',
	bugs: { url: 'https://github.com/lovelace/n8n-nodes-messaging-channel/issues' },
};

let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'placeholders-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Runs what the workflow runs before it publishes. */
function check(manifest: object) {
	writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
	const { status, stderr } = spawnSync('node', [join(repository, 'scripts', 'publishable.mjs')], {
		cwd: folder,
		encoding: 'utf8',
	});
	return { status, stderr };
}

test('a package with a real author and repository can be published', () => {
	expect(check(real)).toEqual({ status: 0, stderr: '' });
});

test.each([
	['author.email', { ...real, author: { email: 'maintainers@messaging-channel.example' } }],
	[
		'repository.url',
		{
			...real,
			repository: { url: 'git+https://github.com/messaging-channel/n8n-nodes-messaging-channel.git' },
		},
	],
	[
		'homepage',
		{ ...real, homepage: 'https://github.com/messaging-channel/n8n-nodes-messaging-channel#readme' },
	],
	[
		'bugs.url',
		{ ...real, bugs: { url: 'https://github.com/messaging-channel/n8n-nodes-messaging-channel/issues' } },
	],
])('a placeholder in %s is refused', (field, manifest) => {
	const { status, stderr } = check(manifest);
	expect(status).toBe(1);
	expect(stderr).toContain(`${field} is '`);
});
