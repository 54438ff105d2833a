import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isAccepted, licencePage, licensedPackages } from '../../scripts/licenceList';

const packages = licensedPackages();

test('every development tool has a licence that lets us use it', () => {
	expect(packages.length).toBeGreaterThan(1_000);
	expect(packages.filter((one) => !isAccepted(one))).toEqual([]);
});

test('licences.md is what scripts/licences.ts writes', () => {
	expect(readFileSync(join(__dirname, 'licences.md'), 'utf8')).toBe(licencePage(packages));
});

test.each([
	['lodash', 'AGPL-3.0'],
	['lodash', 'MIT AND GPL-2.0-only'],
	['lodash', 'UNLICENSED'],
	['lodash', 'none'],
	['lodash', 'SEE LICENSE IN LICENSE.md'],
	['n8n-core/node_modules/lodash', 'SEE LICENSE IN LICENSE.md'],
])('%s with the licence %s is not accepted', (name, licence) => {
	expect(isAccepted({ path: `node_modules/${name}`, licence })).toBe(false);
});
