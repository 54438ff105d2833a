import { mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

import { repository } from '../support/n8n/paths';

/** Where screenshots go that are only looked at; without it, there are none. */
const { SCREENSHOTS } = process.env;

/** A README with larger ones loads slowly. */
const largestPicture = 150_000;

const images = join(repository, 'docs', 'images');

/** Messages that come and go, and the neighbours of a node that look in at the edge of its panel. */
const withoutOverlays = '.el-notification, [data-test-id="floating-nodes"] { display: none !important }';

/** Takes a screenshot for whoever wants to look at it. */
export async function screenshot(what: Locator | Page, name: string): Promise<void> {
	if (SCREENSHOTS) await take(what, SCREENSHOTS, name);
}

/** Takes one of the README's pictures; it is replaced only when UPDATE_SCREENSHOTS=1 asks for it. */
export async function picture(what: Locator | Page, name: string): Promise<void> {
	const isUpdate = process.env.UPDATE_SCREENSHOTS === '1';
	const elsewhere = SCREENSHOTS ?? join(tmpdir(), 'messaging-channel-pictures');
	const path = await take(what, isUpdate ? images : elsewhere, name, withoutOverlays);
	const { size } = await stat(path);
	if (size > largestPicture) throw new Error(`${path} has ${size} bytes, more than ${largestPicture}`);
}

async function take(what: Locator | Page, directory: string, name: string, style?: string): Promise<string> {
	await mkdir(directory, { recursive: true });
	const path = join(directory, `${name}.png`);
	await what.screenshot({ path, animations: 'disabled', caret: 'hide', style });
	return path;
}
