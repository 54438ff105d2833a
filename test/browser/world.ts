import type { Page } from 'playwright-core';

import { startWorld, type World } from '../support/world/world';
import { owner } from '../support/n8n/owner';
import { executionStartedBy } from '../support/n8n/startedBy';
import { startChromium } from '../support/browser/chromium';

/** A world whose editor is open in a browser, signed in as the owner. */
export interface EditorWorld extends World {
	page: Page;
}

/** n8n ties a sign-in to the browser that it came from, which it knows by this. */
const browserId = 'messaging-channel-tests';

/** Starts n8n with its editor, the service and a browser; `stop` it when done. */
export async function startEditorWorld(): Promise<EditorWorld> {
	// First, because a missing browser is told at once.
	const browser = await startChromium();
	try {
		const world: World = await startWorld(
			{ editor: true },
			{ findExecution: async (eventId, since) => await executionStartedBy(eventId, since, world.n8n) },
		);
		const context = await browser.newContext({
			baseURL: world.n8n.url,
			viewport: { width: 1240, height: 900 },
			colorScheme: 'light',
			reducedMotion: 'reduce',
			locale: 'en-GB',
			timezoneId: 'Europe/Istanbul',
		});
		context.setDefaultTimeout(120_000);
		await context.addInitScript(`
			localStorage.setItem('n8n-browserId', '${browserId}');
			/* Else n8n's advice to pin data would cover what there is to see. */
			localStorage.setItem('N8N_PIN_DATA_DISCOVERY_NDV', 'true');
		`);
		await context.request.post('/rest/login', {
			headers: { 'browser-id': browserId },
			data: { emailOrLdapLoginId: owner.email, password: owner.password },
			failOnStatusCode: true,
			timeout: 120_000,
		});
		const stop = async () => {
			await browser.close();
			await world.stop();
		};
		return { ...world, page: await context.newPage(), stop };
	} catch (error) {
		await browser.close();
		throw error;
	}
}
