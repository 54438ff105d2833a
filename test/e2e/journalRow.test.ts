// What the journal takes for granted of n8n's row, shown with the code of the installed n8n.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { IExecuteFunctions } from 'n8n-workflow';

import { rowOf, type Row } from '../../nodes/MessagingChannel/n8n/journal/row';
import { ensureInstalledN8n } from '../support/n8n/install';

/** The table that n8n stores rows in: it reads and writes each as a whole. */
interface Table {
	findOne(): Promise<unknown>;
	insert(row: unknown): Promise<void>;
	update(where: unknown, row: unknown): Promise<void>;
}

interface Modules {
	helper: { DeduplicationHelper: new () => Helper };
	container: { Container: { set(token: unknown, value: Table): void } };
	database: { ProcessedDataRepository: unknown };
}

type Helper = Record<
	'checkProcessedAndRecord' | 'removeProcessed' | 'getProcessedDataCount',
	(...given: unknown[]) => Promise<never>
>;

let stored: string | undefined;
/** Held back until it is resolved. */
let writing: Promise<void> = Promise.resolve();

/** n8n's own code of the row, over a table that can be slow. */
async function rowOfN8n(): Promise<Row> {
	const { directory } = await ensureInstalledN8n();
	const ofN8n = createRequire(join(directory, 'node_modules', 'n8n', 'package.json'));
	const { DeduplicationHelper } = ofN8n('./dist/deduplication/deduplication-helper.js') as Modules['helper'];
	const { Container } = ofN8n('@n8n/di') as Modules['container'];
	const write = async (row: unknown) => {
		await writing;
		stored = JSON.stringify(row);
	};
	Container.set((ofN8n('@n8n/db') as Modules['database']).ProcessedDataRepository, {
		findOne: async () => await Promise.resolve(stored === undefined ? null : JSON.parse(stored)),
		insert: write,
		update: async (_, row) => await write(row),
	});
	const helper = new DeduplicationHelper();
	const about = { workflow: { id: 'workflow' }, node: { id: 'node' } };
	const helpers = {
		checkProcessedAndRecord: async (keys: string[], scope: string, options: object) =>
			await helper.checkProcessedAndRecord(keys, scope, about, options),
		removeProcessed: async (keys: string[], scope: string, options: object) =>
			await helper.removeProcessed(keys, scope, about, options),
		getProcessedDataCount: async (scope: string, options: object) =>
			await helper.getProcessedDataCount(scope, about, options),
	};
	return rowOf({ helpers: helpers as unknown as IExecuteFunctions['helpers'] }, 'node');
}

let row: Row;
beforeAll(async () => void (row = await rowOfN8n()), 120_000);
beforeEach(() => void (stored = undefined));

const there = async (...keys: string[]) => {
	const before = stored;
	const found = await row.record(keys);
	stored = before;
	return [...found].join(' ');
};

test('a call writes the whole row, also over what another one has written meanwhile', async () => {
	await row.record(['a']);
	let write = () => {};
	writing = new Promise((resolve) => (write = resolve));
	const slow = row.record(['slow']);
	await new Promise(setImmediate);
	writing = Promise.resolve();
	await row.record(['b']);
	write();
	await slow;
	expect(await there('a', 'b', 'slow')).toBe('a slow');
});

test('recording says what was there before, each key once', async () => {
	expect(await row.record(['a', 'b', 'a'])).toEqual(new Set());
	expect(await row.record(['b', 'c'])).toEqual(new Set(['b']));
	expect(await row.count()).toBe(3);
	await row.remove(['a', 'a', 'missing']);
	expect(await there('a', 'b', 'c')).toBe('b c');
});

test('a key that is there keeps its place, and the oldest beyond the maximum go, also without a new one', async () => {
	await row.record(['a', 'b', 'c']);
	await row.record(['a', 'd'], 3);
	expect(await there('a', 'b', 'c', 'd')).toBe('b c d');
	await row.record([], 1);
	expect(await there('b', 'c', 'd')).toBe('d');
	await row.record(['e', 'f'], 10);
	expect(await row.count()).toBe(3);
});
