import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

import { repository } from '../support/n8n/paths';
import { animatedPng } from './animatedPng';

/** Where screenshots go that are only looked at. */
const folder = process.env.SCREENSHOTS ?? join(tmpdir(), 'messaging-channel-screenshots');

/** A README with larger ones loads slowly. */
const largestPicture = 150_000;

/** Pictures of the documentation are replaced only when UPDATE_SCREENSHOTS=1 asks for it. */
const images = process.env.UPDATE_SCREENSHOTS === '1' ? join(repository, 'docs', 'images') : folder;

/** Messages that come and go, and the neighbours of a node that look in at the edge of its panel. */
const withoutOverlays = '.el-notification, [data-test-id="floating-nodes"] { display: none !important }';

/** Takes a screenshot for whoever wants to look at it. */
export async function screenshot(what: Locator | Page, name: string): Promise<void> {
	await take(what, folder, name);
}

/** Takes one of the pictures of the documentation. */
export async function picture(what: Locator | Page, name: string): Promise<void> {
	await checkSize(await take(what, images, name, withoutOverlays));
}

/** A picture that was taken before, with the sentence above it. */
export interface Frame {
	caption: string;
	path: string;
}

/** Takes a picture that becomes a frame of an animation. */
export async function frame(what: Locator | Page, name: string, caption: string): Promise<Frame> {
	return { caption, path: await take(what, folder, name, withoutOverlays) };
}

/** Makes an animated picture of the documentation. It stops after three times, so that it disturbs nobody who reads. */
export async function animation(page: Page, name: string, frames: Frame[]): Promise<Buffer> {
	await page.setViewportSize({ width: 880, height: 564 });
	const shown: Buffer[] = [];
	for (const { caption, path } of frames) {
		await page.setContent(await slide(caption, path));
		shown.push(await page.screenshot());
	}
	const bytes = animatedPng(shown, { seconds: 3, plays: 3 });
	const path = join(images, `${name}.png`);
	await writeFile(path, bytes);
	await checkSize(path);
	return bytes;
}

async function slide(caption: string, path: string): Promise<string> {
	const source = `data:image/png;base64,${await readFile(path, 'base64')}`;
	return `<body style="margin: 0; background: #f4f6f5; font: 24px system-ui">
		<p style="margin: 0; padding: 0 24px; line-height: 56px; color: #fff; background: #0f766e">${caption}</p>
		<img src="${source}" style="width: 880px; height: 508px; object-fit: contain">`;
}

async function checkSize(path: string): Promise<void> {
	const { size } = await stat(path);
	if (size > largestPicture) throw new Error(`${path} has ${size} bytes, more than ${largestPicture}`);
}

async function take(what: Locator | Page, directory: string, name: string, style?: string): Promise<string> {
	await mkdir(directory, { recursive: true });
	const path = join(directory, `${name}.png`);
	await what.screenshot({ path, animations: 'disabled', caret: 'hide', style });
	return path;
}
