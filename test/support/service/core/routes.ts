import escapeRegExp from 'lodash/escapeRegExp';
import memoize from 'lodash/memoize';
import sortBy from 'lodash/sortBy';

import { documentedOperations, type Documented } from './documentedOperations';

/** Matches a path with `{placeholders}`; each placeholder is one segment. */
export const pathPattern = memoize(
	(path: string) => new RegExp(`^${escapeRegExp(path).replace(/\\\{(\w+)\\\}/g, '(?<$1>[^/]+)')}$`),
);

/** An operation and the still encoded values of its path parameters. */
export interface Route {
	operation: Documented;
	path: Record<string, string>;
}

/** The paths of the operations; one without placeholders wins over one with. */
export function createRoutes() {
	const routes = documentedOperations.map((operation) => ({ operation, path: operation.path }));
	return {
		find: (method: string, asked: string): Route | undefined => {
			const ofMethod = routes.filter(({ operation }) => operation.method === method);
			for (const { operation, path } of sortBy(ofMethod, (route) => route.path.includes('{'))) {
				const match = pathPattern(path).exec(asked);
				if (match) return { operation, path: { ...match.groups } };
			}
			return undefined;
		},
		/** Serves an operation at another path. */
		move: (operationId: string, path: string) => {
			const route = routes.find(({ operation }) => operation.operationId === operationId);
			if (!route) throw new Error(`There is no operation ${operationId}.`);
			route.path = path;
		},
	};
}
