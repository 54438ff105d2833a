import { createHash } from 'node:crypto';

import { version } from '../../../package.json';
import { loadDefinition } from '../service/core/description';
import { documentedOperations } from '../service/documentedOperations';
import type { Findings } from './calls';

/** The report, in Markdown. */
export function reportOf(
	{ differences, notCompared, statuses }: Findings,
	requests: number,
	hasSent: boolean,
): string {
	const description = createHash('sha256')
		.update(JSON.stringify(loadDefinition()))
		.digest('hex')
		.slice(0, 12);
	const inferred = documentedOperations().filter((each) => each['x-inferred']);
	const list = (entries: string[]) => (entries.length > 0 ? entries.map((entry) => `- ${entry}`) : ['None.']);
	return [
		`# Service check`,
		'',
		`Version ${version}, description ${description}, ${requests} requests, ${hasSent ? 'with' : 'without'} sends.`,
		'',
		'## Differences',
		'',
		...list(differences.map(({ call, where, what }) => `${call}: \`${where}\` ${what}`)),
		'',
		'## Inferred calls',
		'',
		...list(
			inferred.map(({ operationId, method, path }) => {
				return `${operationId} (\`${method} ${path}\`): ${statuses.get(operationId) ?? 'not made'}`;
			}),
		),
		'',
		'## Not compared',
		'',
		...list(notCompared.map(([call, why]) => `${call}: ${why}`)),
	].join('\n');
}
