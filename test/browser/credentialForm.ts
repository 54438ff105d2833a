import type { Locator, Page } from 'playwright-core';

import { byTestId } from './editor';

/** The open form of a credential. */
export const formOf = (page: Page): Locator => byTestId(page, 'editCredential-modal');

/** Opens the form for a new credential of a type, as it is called in the list. */
export async function newCredential(page: Page, type: string): Promise<void> {
	await page.goto('/home/credentials/create');
	await byTestId(page, 'new-credential-type-select').locator('input').fill(type);
	await byTestId(page, 'new-credential-type-select-option').getByText(type, { exact: true }).click();
	await byTestId(page, 'new-credential-type-button').click();
	// The form fills in its defaults late, over what is written already; the name of the credential comes after them.
	await byTestId(formOf(page), 'credential-name').waitFor();
}

/** Writes into a field of the open form. */
export async function writeCredential(page: Page, field: string, text: string): Promise<void> {
	await byTestId(formOf(page), `parameter-input-${field}`).locator('input').fill(text);
}

/** Saves the open form, which also tests the credential. */
export async function saveCredential(page: Page): Promise<void> {
	await byTestId(formOf(page), 'credential-save-button').click();
}
