import { playInN8n } from './playInN8n';
import { sendInN8n } from './sendInN8n';
import { sendingScripts } from './sendingScript';
import { simulateSending } from './simulateSending';

const HISTORIES = Number(process.env.HISTORIES ?? 8);
const SEED = Number(process.env.SEED ?? 1);

jest.setTimeout(600_000 + HISTORIES * 30_000);

test('what a real n8n does with sends is among what the simulation allows', async () => {
	const scripts = sendingScripts(SEED, HISTORIES);

	const found = await playInN8n(scripts, { inN8n: sendInN8n, simulate: simulateSending });

	expect(found.join('\n')).toBe('');
});
