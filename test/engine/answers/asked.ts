import { SEND_AND_WAIT_OPERATION, type IBinaryKeyData, type INodeParameters } from 'n8n-workflow';

import { resources } from '../../../nodes/MessagingChannel/actions';
import { isIdempotent } from '../../../nodes/MessagingChannel/api/apiRequest';
import type { Operation } from '../../../nodes/MessagingChannel/operation/operation';
import { operations } from '../../support/operations';
import type { Case, FileContent } from '../../support/operations/case';
import { byPhone } from '../../support/operations/parameters';
import type { RunOptions } from '../../support/engine/run';

/** One operation with the values of its smallest run, and what kind of call it makes. */
export interface Asked {
	/** `<resource>:<operation>`. */
	name: string;
	run: Pick<RunOptions, 'operation' | 'items' | 'binary'> & { parameters: INodeParameters };
	/** The request that the answer is to; others only look for what became of it. */
	method: string;
	path: string;
	operation: Operation;
	sends: boolean;
	repeatable: boolean;
	list: boolean;
	download: boolean;
}

function binaryOf({ fileName, mimeType, base64 }: FileContent): IBinaryKeyData {
	return { data: { data: base64, mimeType, fileName } };
}

function askedOf(resource: string, value: string, { parameters, input = [{}], requests }: Case): Asked {
	const operation = resources
		.find((each) => each.value === resource)
		?.operations.find((each) => each.value === value);
	const [request] = requests;
	const [item = {}] = input;
	if (!operation || !request) throw new Error(`${resource}:${value} is not in the table`);
	return {
		name: `${resource}:${value}`,
		run: {
			operation: `${resource}:${value}`,
			items: [{ ...item.json }],
			parameters,
			...(item.file ? { binary: binaryOf(item.file) } : {}),
		},
		method: request.method,
		path: request.path,
		operation,
		sends: operation.endpoint.sends !== undefined,
		repeatable: isIdempotent(operation.endpoint),
		list: operation.pagination !== undefined,
		download: operation.download?.({ parameters: {}, settings: {}, file: () => undefined as never }) ?? false,
	};
}

const sendAndWait: Case = {
	parameters: { to: byPhone('905551234567'), message: 'May we?' },
	requests: [{ method: 'POST', path: '/messages/send' }],
	items: [],
};

/** Every operation of the package. */
export const everyOperation: readonly Asked[] = [
	...operations.map(({ resource, operation, minimal }) => askedOf(resource, operation, minimal)),
	askedOf('message', SEND_AND_WAIT_OPERATION, sendAndWait),
];
