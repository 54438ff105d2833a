// Writes the output schemas that n8n's editor shows: `tsx scripts/schemas.ts`
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { outputSchemas } from './outputSchemas';

const folder = join(__dirname, '..', 'nodes', 'MessagingChannel', '__schema__');

rmSync(folder, { recursive: true, force: true });
for (const [file, schema] of Object.entries(outputSchemas())) {
	const path = join(folder, file);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, `${JSON.stringify(schema, null, '\t')}\n`);
}
