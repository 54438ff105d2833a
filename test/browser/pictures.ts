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

/** Messages that come and go, and what looks in at the edges of a panel. */
const overlays =
	'.el-notification, [data-test-id="floating-nodes"], [data-test-id^="ndv-edit"], [data-test-id^="ndv-pin"]';

/** Takes a screenshot for whoever wants to look at it. */
export async function screenshot(what: Locator | Page, name: string): Promise<void> {
	if (SCREENSHOTS) await take(what, SCREENSHOTS, name);
}

/** The width of a page on GitHub, in pixels: wider pictures are shrunk to it. */
const pageWidth = 838;

/** Smaller letters are hard to read, in pixels. */
const smallestText = 12;

/** A script that makes a page fit for a picture; it sets styles so that also those pages allow it that have a policy. */
const prepare = `{
	const set = (element, ...style) => element.style.setProperty(...style, 'important');
	for (const element of document.querySelectorAll('${overlays}')) set(element, 'display', 'none');
	/* Some labels of n8n are smaller than that. */
	for (const element of document.querySelectorAll('body *'))
		if (parseFloat(getComputedStyle(element).fontSize) < ${smallestText}) set(element, 'font-size', '${smallestText}px');
}`;

/** The ends of what a picture shows of something, from left to right. */
interface Part {
	from?: Locator;
	to?: Locator;
}

interface Text {
	text: string;
	/** In pixels. */
	size: number;
}

interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

/**
 * Takes one of the pictures of the docs; it is replaced only when UPDATE_SCREENSHOTS=1 asks for it (`npm run pictures`).
 *
 * @throws Error when the picture is too large, or a text in it too small to be read
 */
export async function picture(what: Locator, name: string, part?: Part): Promise<void> {
	const page = what.page();
	await page.evaluate(prepare);
	const area = await areaOf(what, part);
	const small = ((await page.evaluate(textsIn(area))) as Text[]).filter(({ size }) => size < smallestText);
	if (small.length > 0) throw new Error(`${name} has texts that are too small: ${JSON.stringify(small)}`);

	const isUpdate = process.env.UPDATE_SCREENSHOTS === '1';
	const elsewhere = SCREENSHOTS ?? join(tmpdir(), 'messaging-channel-pictures');
	const path = await take(page, isUpdate ? images : elsewhere, name, area);
	const { size } = await stat(path);
	if (size > largestPicture) throw new Error(`${path} has ${size} bytes, more than ${largestPicture}`);
}

/** Room beside the ends of a part, and around several things, in pixels. */
const margin = 17;

/** The area of all that is found, or from one end to the other. */
async function areaOf(what: Locator, { from, to }: Part = {}): Promise<Area> {
	const [whole, first, last] = [await boxOf(what), from && (await boxOf(from)), to && (await boxOf(to))];
	const left = Math.max(0, first ? first.x - margin : whole.x);
	const right = last ? last.x + last.width + margin : whole.x + whole.width;
	return { ...whole, x: left, width: right - left };
}

async function boxOf(what: Locator): Promise<Area> {
	const found = await Promise.all((await what.all()).map(async (one) => await one.boundingBox()));
	const boxes = found.filter((box) => box !== null);
	const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
	const right = Math.max(...boxes.map((box) => box.x + box.width));
	const bottom = Math.max(...boxes.map((box) => box.y + box.height));
	const room = boxes.length > 1 ? margin : 0;
	return { x: x - room, y: y - room, width: right - x + 2 * room, height: bottom - y + 2 * room };
}

/** A script that finds the texts that are seen in the area, each with the size that it has on a page. */
const textsIn = (area: Area) => `(({ x, y, width, height }) => {
	const isSeen = (element, box) => {
		const [left, top] = [box.x + box.width / 2, box.y + box.height / 2];
		const isInside = left > x && left < x + width && top > y && top < y + height;
		return isInside && element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
			element.contains(document.elementFromPoint(left, top));
	};
	const scaleOf = (element) =>
		element ? new DOMMatrix(getComputedStyle(element).transform).a * scaleOf(element.parentElement) : 1;
	return [...document.querySelectorAll('body *')].flatMap((element) => {
		const text = [...element.childNodes].filter(({ nodeType }) => nodeType === 3)
			.map(({ data }) => data.trim()).join(' ').trim();
		const box = element.getBoundingClientRect();
		if (text === '' || !isSeen(element, box)) return [];
		const scale = scaleOf(element) * Math.min(1, ${pageWidth} / width);
		return [{ text, size: Math.round(parseFloat(getComputedStyle(element).fontSize) * scale * 10) / 10 }];
	});
})(${JSON.stringify(area)})`;

async function take(what: Locator | Page, directory: string, name: string, clip?: Area): Promise<string> {
	await mkdir(directory, { recursive: true });
	const path = join(directory, `${name}.png`);
	const options = { path, animations: 'disabled', caret: 'hide' } as const;
	await ('goto' in what ? what.screenshot({ ...options, clip }) : what.screenshot(options));
	return path;
}
