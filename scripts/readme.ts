// Writes the table of operations into README.md: `tsx scripts/readme.ts`
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { resources } from '../nodes/MessagingChannel/actions';
import { operationsTable, withTable } from './operationsTable';

const readme = join(__dirname, '..', 'README.md');

writeFileSync(readme, withTable(readFileSync(readme, 'utf8'), operationsTable(resources)));
