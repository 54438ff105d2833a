import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import { startChromium } from '../support/browser/chromium';
import { listen } from '../support/localServer';
import { startService, type Service } from '../support/service/service';
import { callerOf } from '../support/service/testing';

const ADA = '905551112233';

let service: Service;
let browser: Browser;
let page: Page;
/** Stands for n8n. */
let receiver: Server;
let url: string;
/** What it answers. */
let status: number;
const received: Array<Record<string, unknown>> = [];
const call = callerOf(() => service);

beforeAll(async () => {
	browser = await startChromium();
	service = await startService();
	receiver = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			received.push({ ...JSON.parse(Buffer.concat(chunks).toString()), headers: request.headers });
			response.writeHead(status).end();
		});
	});
	url = await listen(receiver);
});

beforeEach(async () => {
	status = 200;
	received.length = 0;
	await service.control.reset();
	const events = ['message.received'];
	await service.control.setWebhook({ config: { url, events, is_active: true, timeout_seconds: 30 } });
	page = await browser.newPage();
	page.setDefaultTimeout(120_000);
	await page.goto(`${service.origin}/phone`);
});
afterEach(async () => await page.close());

afterAll(async () => {
	receiver?.close();
	await service?.stop();
	await browser?.close();
});

const messages = () => page.getByRole('list', { name: 'Ada' }).getByRole('listitem');

/** Opens a chat with Ada, and writes as her. */
async function writeAsAda(text: string): Promise<void> {
	await service.control.seed({ chats: [{ id: `${ADA}@c.us`, name: 'Ada' }] });
	await page.getByLabel('New customer').fill(ADA);
	await page.getByRole('button', { name: 'Open' }).click();
	// The chat is open once its title has the focus; before, there is nobody to write as.
	await page.locator('#chat-title:focus', { hasText: 'Ada' }).waitFor();
	await page.getByLabel('Write as the customer').fill(text);
	await page.getByLabel('Write as the customer').press('Enter');
	await messages().filter({ hasText: text }).first().waitFor();
}

test('what the customer writes goes to n8n, and what n8n sends shows up with its ticks', async () => {
	await writeAsAda('Hello');
	await page.getByText('message.received → 200 (attempts: 1)').waitFor();
	expect(received).toMatchObject([{ event: 'message.received', message: { body: 'Hello' } }]);

	await call('POST', '/messages/send', {
		to: ADA,
		message: 'Approve: https://n8n.example.com/x?signature=1',
	});
	await messages().filter({ hasText: '✓✓ read' }).waitFor();
	const link = messages().getByRole('link');
	expect(await link.getAttribute('href')).toBe('https://n8n.example.com/x?signature=1');
	await page.getByText('/messages/send → 202').waitFor();
});

test('a file goes to n8n', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'phone-'));
	await writeFile(join(folder, 'receipt.txt'), 'Paid');
	await writeAsAda('Hello');
	await page.getByLabel('Attach a file').setInputFiles(join(folder, 'receipt.txt'));
	await page.getByRole('button', { name: 'Send' }).click();
	await messages().getByRole('link', { name: 'receipt.txt' }).waitFor();
	// The chat shows the file before its event is delivered.
	await page.getByText('message.received → 200 (attempts: 1)').nth(1).waitFor();
	expect(received.at(-1)).toMatchObject({
		message: { has_media: true, media: { filename: expect.stringMatching(/receipt\.txt$/) } },
	});
	await rm(folder, { recursive: true });
});

test('a refused request says why, a delivery can be made again', async () => {
	await writeAsAda('Hello');
	await call('POST', '/messages/send', { to: 'nobody', message: 'Hello' });
	await page.getByText(/\/messages\/send → 400 validation_error: /).waitFor();

	await page.getByText('message.received → 200 (attempts: 1)').click();
	await page.getByRole('button', { name: 'Deliver again' }).click();
	await page.getByText('message.received → 200 (attempts: 1)').nth(1).waitFor();
	expect(received.map(({ headers }) => (headers as Record<string, string>)['x-service-event-id'])).toEqual([
		expect.any(String),
		(received[0]?.headers as Record<string, string>)['x-service-event-id'],
	]);
});

test('the switches make the service unkind, and kind again', async () => {
	await page.getByLabel('Sends end with 504').check();
	await page.getByLabel('Account disconnected').check();
	await page.getByRole('status').filter({ hasText: 'disconnected' }).waitFor();
	expect((await call('POST', '/messages/send', { to: ADA, message: 'Hello' })).status).toBe(504);

	// They stay when the page is loaded again.
	await page.reload();
	await page.getByRole('checkbox', { name: 'Account disconnected', checked: true }).waitFor();
	await page.getByLabel('Sends end with 504').uncheck();
	await page.getByLabel('Account disconnected').uncheck();
	await page.getByRole('status').filter({ hasText: ': connected' }).waitFor();
	expect((await call('POST', '/messages/send', { to: ADA, message: 'Hello' })).status).toBe(202);
});

test('the switches for sends are for all kinds of messages', async () => {
	const image = { to: ADA, media_url: 'https://example.com/image.png' };
	await page.getByLabel('Sends end with 504').check();
	await page.getByLabel('Account disconnected').check();
	await page.getByRole('status').filter({ hasText: 'disconnected' }).waitFor();
	expect((await call('POST', '/messages/send-image', image)).status).toBe(504);
});

test('of quick changes, the last one decides', async () => {
	let release = () => {};
	const held = new Promise<void>((resolve) => (release = resolve));
	await page.route('**/phone/switches', async (route) => {
		await held;
		await route.continue();
	});
	let changes = 0;
	const isSecondDone = page.waitForResponse((response) => {
		return response.url().endsWith('/phone/switches') && ++changes === 2;
	});
	const begun = page.waitForRequest('**/phone/switches');
	await page.getByLabel('Sends end with 504').check();
	await begun;
	await page.getByLabel('Sends end with 504').uncheck();
	release();
	await isSecondDone;

	expect((await call('POST', '/messages/send', { to: ADA, message: 'Hello' })).status).toBe(202);
});

test('what the keyboard has chosen stays chosen when something happens', async () => {
	await writeAsAda('Hello');
	await page.getByText('message.received → 200 (attempts: 1)').focus();
	await page.keyboard.press('Enter');
	await page.getByRole('button', { name: 'Deliver again' }).focus();
	await page.keyboard.press('Enter');
	await page.getByText('message.received → 200 (attempts: 1)').nth(1).waitFor();

	expect(await page.evaluate('document.activeElement.textContent')).toBe('Deliver again');
});

test('the keyboard alone is enough, and every field has a name', async () => {
	await page.getByLabel('New customer').focus();
	await page.keyboard.type(ADA);
	await page.keyboard.press('Enter');
	await page.getByRole('heading', { name: ADA }).waitFor();
	await page.getByLabel('Write as the customer').focus();
	await page.keyboard.type('Hello');
	await page.keyboard.press('Enter');
	await page.getByText('written by the customer').waitFor();
	const unnamed = await page
		.locator('input, textarea, button')
		.evaluateAll((fields) =>
			fields.filter((field) => !('labels' in field && field.labels) && field.textContent === '').map(String),
		);
	expect(unnamed).toEqual([]);
});

test('two tabs show the same chats and switches', async () => {
	const other = await browser.newPage();
	await other.goto(`${service.origin}/phone`);
	await page.getByLabel('New customer').fill(ADA);
	await page.getByRole('button', { name: 'Open' }).click();
	await other.getByRole('button', { name: ADA }).waitFor();

	await page.getByLabel('Wrong signatures').check();
	await other.getByRole('checkbox', { name: 'Wrong signatures', checked: true }).waitFor();
	await other.getByLabel('Answers take 5 seconds').check();
	await page.getByRole('checkbox', { name: 'Answers take 5 seconds', checked: true }).waitFor();
	expect(await page.getByLabel('Wrong signatures').isChecked()).toBe(true);
	await other.close();
});

test('what others send is text, never a part of the page', async () => {
	const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
	await service.control.seed({ chats: [{ id: `${ADA}@c.us`, name: hostile }] });
	await service.control.incomingMessage({
		from: ADA,
		body: `${hostile} javascript:document.title=1`,
		media: { mimetype: 'text/html', filename: `${hostile}.html`, base64: btoa(hostile) },
	});
	await page.getByRole('heading', { name: hostile }).waitFor();
	await page.getByText('javascript:document.title=1').first().waitFor();

	const opened = page.context().waitForEvent('page');
	await page.locator('#messages a').click();
	const file = await opened;
	await file.waitForLoadState();
	expect([await page.title(), await file.title()]).toEqual(['Phone', '']);
	expect(await page.locator('#messages a').count()).toBe(1);
	await file.close();
});

test('a mistake is explained, and what was written stays', async () => {
	await page.getByLabel('New customer').fill('nobody');
	await page.getByRole('button', { name: 'Open' }).click();
	await page
		.getByRole('alert')
		.filter({ hasText: 'nobody is neither a phone number nor a chat id' })
		.waitFor();

	const folder = await mkdtemp(join(tmpdir(), 'phone-'));
	await writeFile(join(folder, 'film.mp4'), Buffer.alloc(33 * 1024 * 1024));
	await writeAsAda('Hello');
	await page.getByLabel('Write as the customer').fill('Look');
	await page.getByLabel('Attach a file').setInputFiles(join(folder, 'film.mp4'));
	await page.getByRole('button', { name: 'Send' }).click();
	await page.getByRole('alert').filter({ hasText: 'film.mp4 is larger than 32 MB' }).waitFor();
	expect(await page.getByLabel('Write as the customer').inputValue()).toBe('Look');
	expect(await page.getByLabel('Attach a file').inputValue()).toMatch(/film\.mp4$/);
	expect(await messages().count()).toBe(1);
	await rm(folder, { recursive: true });
});

test('a service that is started again is shown again', async () => {
	const first = await startService();
	await page.goto(`${first.origin}/phone`);
	await page.getByText('No webhook is registered.').waitFor();
	await first.stop();
	await page.getByRole('alert').filter({ hasText: 'The service does not answer' }).waitFor();

	const again = await startService({ port: Number(new URL(first.origin).port) });
	await again.control.seed({ chats: [{ id: `${ADA}@c.us`, name: 'Ada' }] });
	await page.getByRole('heading', { name: 'Ada' }).waitFor();
	expect(await page.locator('[role=alert]').allInnerTexts()).toEqual(['', '']);
	await again.stop();
});
