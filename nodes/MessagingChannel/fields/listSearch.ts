import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import type { RequestLimits } from '../api/apiRequest';
import { connect } from '../n8n/connect';
import type { Client } from '../api/client';
import { nodeErrorOf } from '../n8n/nodeErrors';

/** What n8n calls to fill a searchable list. */
export type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/** Somebody looks at the list while it loads. */
const PATIENCE: RequestLimits = { maxAttempts: 2, maxRateLimitWait: 5 };

/**
 * Runs a look-up for the panel, so that a refusal of the service is shown in the field in plain words.
 *
 * @throws NodeApiError when the service does not answer the look-up
 */
export async function lookUp<T>(
	context: ILoadOptionsFunctions,
	work: (client: Client) => Promise<T>,
): Promise<T> {
	try {
		const client = await connect(context);
		return await work({
			...client,
			call: async (request) => await client.call({ ...request, limits: PATIENCE }),
		});
	} catch (error) {
		throw nodeErrorOf(context.getNode(), error);
	}
}

/** The items whose name or value contains the filter, ignoring case. */
export function matching(items: INodeListSearchItems[], filter = ''): INodeListSearchItems[] {
	const wanted = filter.toLowerCase();
	return items.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
}
