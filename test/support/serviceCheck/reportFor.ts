import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';

import { apiKeyIn } from '../../../nodes/MessagingChannel/api/authentication';
import { normalizeBaseUrl } from '../../../nodes/MessagingChannel/api/baseUrl';
import { version } from '../../../package.json';
import { definition, documentedOperations } from '../service/core/documentedOperations';
import type { Findings } from './calls';
import { checkService } from './checkService';
import { createService } from './service';

/**
 * Checks the service that the arguments of the command name.
 *
 * @param tell shown while it waits
 * @returns the report
 * @throws Error with what to do, when an argument is missing or not valid, or nothing could be compared
 */
export async function reportFor(args: string[], tell: (text: string) => void): Promise<string> {
	const { values } = parseArgs({
		args,
		options: {
			'base-url': { type: 'string' },
			key: { type: 'string' },
			'send-to': { type: 'string', multiple: true, default: [] },
		},
	});
	const numbers = values['send-to']
		.flatMap((text) => text.split(','))
		.map((text) => text.replace(/[\s+]/g, ''));
	if (!values['base-url']) throw new Error('The base URL of the service is missing: --base-url https://…');
	if (!values.key) throw new Error('The API key is missing: --key …');
	if (!numbers.every((number) => /^[1-9]\d{6,14}$/.test(number)))
		throw new Error('--send-to takes phone numbers with their country code, such as 905551112233.');
	const service = createService(normalizeBaseUrl(values['base-url']), apiKeyIn({ apiKey: values.key }), tell);
	const found = await checkService(service, numbers);
	if (!found) throw new Error('Nothing was compared: the service did not answer, or refused the API key.');
	return reportOf(found, service.made(), numbers.length > 0);
}

/** The report, in Markdown. */
function reportOf(
	{ differences, notCompared, statuses }: Findings,
	requests: number,
	hasSent: boolean,
): string {
	const description = createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, 12);
	const inferred = documentedOperations.filter((each) => each['x-inferred']);
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
