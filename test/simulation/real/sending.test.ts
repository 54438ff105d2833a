import { sendInN8n } from './sendInN8n';
import { sendingScripts, simulateSending } from './sendingScript';
import { compareWithN8n } from './sharedN8n';

const HISTORIES = Number(process.env.HISTORIES ?? 8);
const SEED = Number(process.env.SEED ?? 1);

jest.setTimeout(600_000 + HISTORIES * 30_000);

test('what a real n8n does with sends is among what the simulation allows', async () => {
	const scripts = sendingScripts(SEED, HISTORIES);
	expect(await compareWithN8n(scripts, { inN8n: sendInN8n, simulate: simulateSending })).toBe('');
});
