import { Readable } from 'node:stream';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { recordsOf } from '../../../nodes/MessagingChannel/api/records';
import { downloadedItem } from '../../../nodes/MessagingChannel/n8n/binaryData';
import type { Operation } from '../../../nodes/MessagingChannel/operation/operation';
import { prepareService } from '../../support/operations/expectations';
import type { Case, ExpectedRequest, OperationCases } from '../../support/operations/case';
import type { Service } from '../../support/service/service';

/** What the operation puts out for every request that its cases make. */
export async function recordsFromService(
	service: Service,
	operation: Operation,
	cases: OperationCases,
): Promise<IDataObject[]> {
	const { minimal, full, more = {} } = cases;
	const found: IDataObject[] = [];
	for (const { requests } of [minimal, ...(full ? [full] : []), ...Object.values<Case>(more)]) {
		await prepareService({ service }, cases);
		for (const request of requests.filter(isExact)) {
			found.push(...(await recordsIn(await send(service, request), operation)));
		}
	}
	return found;
}

/** A request with a pattern in its body cannot be repeated. */
const isExact = ({ body }: ExpectedRequest): boolean =>
	!(typeof body === 'object' && Object.values(body ?? {}).some((value) => value instanceof RegExp));

async function send(
	service: Service,
	{ method, path, query = {}, body, multipart }: ExpectedRequest,
): Promise<Response> {
	const url = `${service.baseUrl}${path}?${new URLSearchParams(query).toString()}`;
	const authorization = `Bearer ${service.apiKey}`;
	const init = multipart
		? { headers: { authorization }, body: formOf(multipart) }
		: { headers: { authorization, 'content-type': 'application/json' }, body: body && JSON.stringify(body) };
	const response = await fetch(url, { method, ...init } as RequestInit);
	if (!response.ok) throw new Error(`${method} ${path} answered ${await response.text()}`);
	return response;
}

function formOf({ fields, file }: NonNullable<ExpectedRequest['multipart']>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	form.append('file', new Blob([Buffer.alloc(file.size)], { type: file.mimetype }), file.filename);
	return form;
}

async function recordsIn(response: Response, operation: Operation): Promise<IDataObject[]> {
	const isJson = response.headers.get('content-type')?.startsWith('application/json');
	if (isJson || !operation.download) {
		const { output = recordsOf } = operation;
		return output((await response.json()) as IDataObject);
	}
	const stream = Readable.from(Buffer.from(await response.arrayBuffer()));
	return [
		(await downloadedItem(storing, { stream, filename: 'photo.jpg', mimetype: 'image/jpeg' }, 'data')).json,
	];
}

/** As much of n8n as keeps a downloaded file. */
const storing = {
	helpers: {
		prepareBinaryData: async (stream: Readable, fileName: string, mimeType: string) => {
			const content = Buffer.concat((await stream.toArray()) as Buffer[]);
			return { data: 'filesystem', fileName, mimeType, bytes: content.length };
		},
	},
} as unknown as IExecuteFunctions;
