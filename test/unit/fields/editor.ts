import axios from 'axios';
import {
	NodeApiError,
	type IDataObject,
	type IHttpRequestOptions,
	type ILoadOptionsFunctions,
	type INode,
} from 'n8n-workflow';

import { MessagingChannelApi } from '../../../credentials/MessagingChannelApi.credentials';
import type { Service } from '../../support/service/service';

const node: INode = {
	id: 'node-1',
	name: 'Messaging Channel',
	type: 'n8n-nodes-messaging-channel.messagingChannel',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const { authenticate } = new MessagingChannelApi();

/** As much of n8n's editor as the lists of the panel need, with a credential for the service. */
export function editorOf(
	{ baseUrl, apiKey }: Pick<Service, 'baseUrl' | 'apiKey'>,
	parameters: IDataObject = {},
): ILoadOptionsFunctions {
	const credential = { baseUrl, apiKey };
	const httpRequestWithAuthentication = async (_: string, options: IHttpRequestOptions) => {
		if (typeof authenticate !== 'function') throw new Error('The credential has no function to authenticate');
		const { method, url, qs, body, headers } = await authenticate(credential, options);
		const { status, data, ...response } = await axios({
			method,
			url,
			params: qs as object,
			data: body as unknown,
			headers: headers as Record<string, string>,
			validateStatus: () => true,
		});
		return { statusCode: status, headers: response.headers, body: data as unknown };
	};
	return {
		getNode: () => node,
		getCredentials: async () => credential,
		getCurrentNodeParameter: (name: string) => parameters[name],
		helpers: { httpRequestWithAuthentication },
		logger: { info: () => undefined },
	} as unknown as ILoadOptionsFunctions;
}

/** The error that the panel shows in place of a list. */
export async function refusalOf(list: Promise<unknown>): Promise<NodeApiError> {
	const outcome = await list.then(
		() => undefined,
		(error: unknown) => error,
	);
	if (outcome instanceof NodeApiError) return outcome;
	throw new Error(`The list was not refused: ${String(outcome)}`);
}
