import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import { repository } from '../support/n8n/paths';
import { sampled } from '../support/nightly';
import { startChromium } from '../support/browser/chromium';
import { startService, type Service } from '../support/service/service';
import { callerOf, startReceiver, type Receiver } from '../support/service/testing';
import { picture, screenshot } from './pictures';
import { until } from './until';

const ADA = '905551112233';

const imageOf = (name: string) => readFileSync(join(repository, 'docs', 'images', name)).toString('base64');

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let service: Service;
let browser: Browser;
let page: Page;
/** Stands for n8n. */
let receiver: Receiver;
const received = () =>
	receiver.received.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
const call = callerOf(() => service);

beforeAll(async () => {
	browser = await startChromium();
	service = await startService();
	receiver = await startReceiver();
});

beforeEach(async () => {
	receiver.received.length = 0;
	await service.control.reset();
	const events = ['message.received'];
	await service.control.setWebhook({
		config: { url: receiver.url, events, is_active: true, timeout_seconds: 30 },
	});
	page = await browser.newPage();
	page.context().setDefaultTimeout(120_000);
	await page.goto(`${service.origin}/phone`);
});
afterEach(async () => await page?.close());

afterAll(async () => {
	await receiver?.stop();
	await service?.stop();
	await browser?.close();
});

const messages = () => page.getByRole('list', { name: 'Ada' }).getByRole('listitem');

/** Opens a chat with Ada, and writes as her. */
async function writeAsAda(text: string): Promise<void> {
	await service.control.seed({ chats: [{ id: `${ADA}@c.us`, name: 'Ada' }] });
	// Before that, the page offers Ada as a new customer, of whom it would focus the text.
	await page.getByRole('button', { name: 'Ada' }).filter({ hasText: 'No message yet' }).waitFor();
	await page.getByRole('searchbox').fill(`+${ADA}`);
	await page.getByRole('searchbox').press('Enter');
	// The chat is open once its title has the focus; before, there is nobody to write as.
	await page.locator('#chat-title:focus', { hasText: 'Ada' }).waitFor();
	await page.getByLabel('Write as the customer').fill(text);
	await page.getByLabel('Write as the customer').press('Enter');
	await messages().filter({ hasText: text }).first().waitFor();
}

test('what the customer writes goes to n8n, and what n8n sends shows up with its ticks', async () => {
	await writeAsAda('Hello');
	await page.getByText('n8n took the message').waitFor();
	expect(received()).toMatchObject([{ event: 'message.received', message: { body: 'Hello' } }]);

	await call('POST', '/messages/send', {
		to: ADA,
		message: '*Approve* 2*3*4: https://n8n.example.com/x?signature=1',
	});
	await messages().filter({ hasText: '✓✓ read' }).waitFor();
	const link = messages().getByRole('link');
	expect(await link.getAttribute('href')).toBe('https://n8n.example.com/x?signature=1');
	expect(await messages().locator('strong').allInnerTexts()).toEqual(['Approve']);
	await page.getByText('POST /messages/send · 202').waitFor();
});

test('its pictures: a customer writes, and is answered', async () => {
	await page.setViewportSize({ width: 838, height: 490 });
	await service.control.setWebhook({
		config: {
			url: receiver.url,
			events: ['message.received', 'message.status'],
			is_active: true,
			timeout_seconds: 30,
		},
	});
	await service.control.seed({ chats: [{ id: '905552223344@c.us', name: 'Grace' }] });
	await writeAsAda('Hi, are you open today?');
	await page.getByText('n8n took the message').waitFor();
	await picture(page.locator('main'), 'phone-asks');
	await call('POST', '/messages/send', { to: ADA, message: 'Hello *Ada*, yes: until 6 pm. See you soon!' });
	await page.getByText('n8n took the news that it was read').waitFor();
	await messages().filter({ hasText: '✓✓ read' }).waitFor();
	await picture(page.locator('main'), 'phone');
	await picture(page.locator('.chat'), 'quickstart-phone');
});

test('the switches make the service unkind, and kind again', async () => {
	await page.locator('#faults > summary').click();
	await page.getByLabel('Sends end with 504').check();
	await page.getByLabel('Account disconnected').check();
	await page.getByRole('status').filter({ hasText: 'disconnected' }).waitFor();
	expect((await call('POST', '/messages/send', { to: ADA, message: 'Hello' })).status).toBe(504);

	await page.getByLabel('Sends end with 504').uncheck();
	await page.getByLabel('Account disconnected').uncheck();
	await page.getByRole('status').filter({ hasText: ': connected' }).waitFor();
	expect((await call('POST', '/messages/send', { to: ADA, message: 'Hello' })).status).toBe(202);
});

test('what others send is text, never a part of the page', async () => {
	const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
	await service.control.seed({ chats: [{ id: `${ADA}@c.us`, name: hostile }] });
	await service.control.incomingMessage({
		from: ADA,
		body: `${hostile} javascript:document.title=1`,
		media: { mimetype: 'text/html', filename: `${hostile}.html`, base64: btoa(hostile) },
	});
	await page.getByRole('button', { name: hostile }).click();
	await page.getByRole('heading', { name: hostile, exact: true }).waitFor();
	await page.getByText('javascript:document.title=1').first().waitFor();

	const opened = page.context().waitForEvent('page');
	await page.locator('#messages a').click();
	const file = await opened;
	await file.waitForLoadState();
	expect([await page.title(), await file.title()]).toEqual(['Phone', '']);
	expect(await page.locator('#messages a').count()).toBe(1);
	await file.close();
});

/** What axe says about the page as it is now: the rule, and where. */
async function faultsOfAccess(): Promise<string[]> {
	return (await page.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
		nodes.map(({ target }) => id + ' ' + target.join(' '))))`)) as string[];
}

/** The chat is at its end, though a picture in it was loaded late. */
const LAST_IS_SEEN = `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 2)(document.getElementById('messages'))
	&& [...document.images].every(({ complete }) => complete)`;

/** A chat with everything that one can have, and a failed request. */
async function fillChats(): Promise<void> {
	const { control } = service;
	const of = (mimetype: string, filename: string, data: string) => ({ mimetype, filename, base64: data });
	await control.seed({
		chats: [
			{ id: `${ADA}@c.us`, name: 'Ada' },
			{ id: '905552223344@c.us', name: 'Grace Brewster Murray Hopper of the United States Navy' },
			{ id: '120363041234567890@g.us', name: 'Shipping' },
		],
	});
	await control.incomingMessage({ from: ADA, body: 'Hi, are you open today?' });
	await control.incomingMessage({
		from: ADA,
		body: 'This one',
		media: of('image/png', 'shirt.png', imageOf('approval-page.png')),
	});
	await control.incomingMessage({ from: ADA, body: '', media: of('audio/ogg', 'voice.ogg', btoa('voice')) });
	await control.incomingMessage({ from: ADA, body: '', media: of('application/pdf', 'a.pdf', btoa('%PDF')) });
	const message = '*Yes*, until _6 pm_. https://n8n.example.com/webhook-waiting/1/410726e1-5f82-40fb-8ccc';
	await call('POST', '/messages/send', { to: ADA, message });
	await call('POST', '/messages/send', { to: 'nobody', message: 'Hello' });
}

// One width for each layout; the colours differ in what only small and only large pages have.
const LOOKS: Array<['light' | 'dark', number]> = [
	['light', 320],
	['dark', 1600],
	['light', 1024],
	['light', 1600],
	['dark', 320],
];

test.each(LOOKS.slice(0, sampled(2, 5)))(
	'%s, nobody is kept out at %d px, and nothing is cut off',
	async (colorScheme, width) => {
		await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
		await page.setViewportSize({ width, height: width < 600 ? 640 : 800 });
		await page.evaluate(axe);
		const states: Record<string, string[]> = {};
		const look = async (state: string) => {
			await screenshot(page, `phone-${state}-${width}-${colorScheme}`);
			const wide = await page.evaluate('document.documentElement.scrollWidth');
			states[state] = [...(await faultsOfAccess()), ...(wide === width ? [] : [`${String(wide)} px wide`])];
		};
		const openDeveloper = async () => {
			const tab = page.getByRole('button', { name: 'What happens' });
			if (await tab.isVisible()) await tab.click();
		};
		await page.getByRole('button', { name: 'Write as Ada' }).waitFor();
		await look('empty');
		await openDeveloper();
		await look('emptyTimeline');

		await fillChats();
		await page.getByText(/^validation_error: /).waitFor({ state: 'attached' });
		await look('timeline');
		await page.getByText('n8n took the message').last().click();
		await page.getByRole('button', { name: 'Deliver again' }).waitFor();
		await page.getByRole('button', { name: 'Deliver again' }).scrollIntoViewIfNeeded();
		await look('details');
		await page.locator('#faults > summary').click();
		await page.getByLabel('Account disconnected').check();
		await page.getByText('1 on').waitFor();
		await look('faults');
		await page.locator('#faults > summary').click();

		const phone = page.getByRole('button', { name: 'Phone', exact: true });
		if (await phone.isVisible()) await phone.click();
		await page.getByRole('searchbox').fill('nothing of the kind');
		await page.getByRole('searchbox').press('Enter');
		await page.getByText('Nothing is found').waitFor();
		await look('nothingFound');
		await page.getByRole('searchbox').fill('');
		await look('chats');
		await page.getByRole('button', { name: 'Ada' }).click();
		await page.locator('#chat-title:focus').waitFor();
		await messages().filter({ hasText: 'read' }).waitFor();
		await page.getByLabel('Attach a file').setInputFiles({
			name: 'receipt.txt',
			mimeType: 'text/plain',
			buffer: Buffer.from('Paid'),
		});
		await until('the last message is seen', async () => (await page.evaluate(LAST_IS_SEEN)) as boolean);
		await look('chat');
		await page.getByRole('button', { name: 'Send' }).click();
		await messages().getByRole('link', { name: 'receipt.txt' }).waitFor();
		expect(states).toEqual(Object.fromEntries(Object.keys(states).map((state) => [state, []])));
	},
);
