import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n's engine keeps its settings in a folder, and looks for it as soon as it is loaded.
const folder = mkdtempSync(join(tmpdir(), 'n8n-engine-'));
process.env.N8N_USER_FOLDER = folder;

afterAll(() => rmSync(folder, { recursive: true, force: true }));
