import { parseArgs } from 'node:util';

import { apiKeyIn } from '../../../nodes/MessagingChannel/api/authentication';
import { normalizeBaseUrl } from '../../../nodes/MessagingChannel/api/baseUrl';
import { checkService } from './checkService';
import { reportOf } from './report';
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
