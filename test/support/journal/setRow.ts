import type { Row } from '../../../nodes/MessagingChannel/n8n/journal/row';

/** A row that counts its calls, and what becomes open in one of them. While it is broken, its calls fail. */
export function setRow() {
	const keys = new Set<string>();
	const call = async (): Promise<void> => {
		row.calls++;
		if (row.isBroken) throw new Error('database is locked');
		await Promise.resolve();
	};
	const row = {
		keys,
		calls: 0,
		isBroken: false,
		mostOpened: 0,
		record: async (asked: Iterable<string>, max = Infinity) => {
			await call();
			const before = new Set([...asked].filter((key) => keys.has(key)));
			const opened = [...asked].filter((key) => key.startsWith('open '));
			row.mostOpened = Math.max(row.mostOpened, opened.length);
			for (const key of asked) keys.add(key);
			for (const oldest of keys) {
				if (keys.size <= max) break;
				keys.delete(oldest);
			}
			return before;
		},
		remove: async (asked: Iterable<string>) => {
			await call();
			for (const key of asked) keys.delete(key);
		},
		count: async () => {
			await call();
			return keys.size;
		},
	} satisfies Row & Record<string, unknown>;
	return row;
}
