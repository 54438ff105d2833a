// Writes the licences of the development tools into test/package/licences.md: `tsx scripts/licences.ts`
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { licenceCounts, licencePage, licensedPackages } from './licenceList';

const packages = licensedPackages();

writeFileSync(join(__dirname, '..', 'test', 'package', 'licences.md'), licencePage(packages));
for (const [licence, count] of licenceCounts(packages)) console.log(`${count}\t${licence}`);
