import type { Operation } from './description';

/** Matches a path with `{placeholders}`; each placeholder is one segment. */
export const pathPattern = (path: string): RegExp =>
	new RegExp(
		`^${path
			.split(/\{\w+\}/)
			.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
			.join('([^/]+)')}$`,
	);

/** An operation and the still encoded values of its path parameters. */
export interface Route {
	operation: Operation;
	path: Record<string, string>;
}

/** Finds the operation of a method and path. */
export interface Routes {
	find(method: string, path: string): Route | undefined;
	/** Serves an operation at another path. */
	move(operationId: string, path: string): void;
}

/** The routes of the description; a path without placeholders wins over one with. */
export function createRoutes(operations: Operation[]): Routes {
	const fixed = new Map<string, Operation>();
	const patterns = new Map<Operation, { pattern: RegExp; names: string[] }>();

	const place = (operation: Operation, path: string) => {
		const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
		if (names.length === 0) fixed.set(`${operation.method} ${path}`, operation);
		else patterns.set(operation, { pattern: pathPattern(path), names });
	};
	for (const operation of operations) place(operation, operation.path);

	return {
		find: (method, path) => {
			const exact = fixed.get(`${method} ${path}`);
			if (exact) return { operation: exact, path: {} };
			for (const [operation, { pattern, names }] of patterns) {
				if (operation.method !== method) continue;
				const match = pattern.exec(path);
				if (!match) continue;
				return {
					operation,
					path: Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? ''])),
				};
			}
			return undefined;
		},
		move: (operationId, path) => {
			const operation = operations.find(({ id }) => id === operationId);
			if (!operation) throw new Error(`There is no operation ${operationId}.`);
			patterns.delete(operation);
			for (const [key, other] of fixed) if (other === operation) fixed.delete(key);
			place(operation, path);
		},
	};
}
