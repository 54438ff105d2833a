import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Where Linux distributions and macOS put it. */
const usualPlaces = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const flags = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	// The editor asks the internet for versions and pictures; what it shows must not depend on the answer.
	'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** Starts the Chromium of this machine, or the one that CHROMIUM names. */
export async function startChromium(): Promise<Browser> {
	return await chromium.launch({ executablePath: installedChromium(), args: flags });
}

/** Where Chromium is. Throws when this machine has none. */
export function installedChromium(): string {
	const candidates = process.env.CHROMIUM ? [process.env.CHROMIUM] : usualPlaces;
	const found = candidates.find((path) => existsSync(path));
	if (found) return found;
	throw new Error(
		`The browser tests need Chromium, and there is none at ${candidates.join(', ')}. ` +
			'Install it (Debian/Ubuntu: apt-get install chromium) or set CHROMIUM to its path.',
	);
}
