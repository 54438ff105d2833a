import axios from 'axios';
import {
	NodeApiError,
	type IDataObject,
	type IHttpRequestOptions,
	type ILoadOptionsFunctions,
	type INode,
} from 'n8n-workflow';

import { MessagingChannelApi } from '../../../credentials/MessagingChannelApi.credentials';
import type { ListSearch } from '../../../nodes/MessagingChannel/fields/listSearch';
import { startService, type Service } from '../../support/service/service';

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

export const ada = { phone: '905551234567', name: 'Ada' };
export const grace = { phone: '905551234568', name: 'Grace' };
export const chatOf = ({ phone, name }: typeof ada) => ({ id: `${phone}@c.us`, name });
export const manyContacts = Array.from({ length: 120 }, (_, index) => ({
	phone: String(905550000000 + index),
	name: `Contact ${index}`,
}));

/** The list in a response, whatever else the service has. */
export const answering = async (service: Service, operationId: string, data: unknown, pagination?: object) =>
	await service.control.addFault({
		operationId,
		kind: 'status',
		status: 200,
		body: { success: true, data, ...(pagination && { pagination }) },
		times: 'always',
	});

/** A service for the tests of a file, empty for each of them, and an editor with a credential for it. */
export function editorWorld() {
	let service: Service;
	let editor: ILoadOptionsFunctions;
	beforeAll(async () => void (service = await startService()));
	beforeEach(async () => {
		await service.control.reset();
		editor = editorOf(service);
	});
	afterAll(async () => await service.stop());

	/** Scrolls a list to its end: its pages, each as the values that it offers. */
	async function pagesOf(search: ListSearch, filter?: string): Promise<unknown[][]> {
		const pages: unknown[][] = [];
		let token: string | undefined;
		do {
			const { results, paginationToken } = await search.call(editor, filter, token);
			pages.push(results.map(({ value }) => value));
			token = paginationToken as string | undefined;
		} while (token !== undefined && pages.length < 10);
		return pages;
	}
	return { service: () => service, editor: () => editor, pagesOf };
}
