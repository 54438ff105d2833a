import isEqual from 'lodash/isEqual';
import uniqWith from 'lodash/uniqWith';
import { SEND_AND_WAIT_OPERATION } from 'n8n-workflow';

import { resources } from '../../../nodes/MessagingChannel/actions';
import { isIdempotent } from '../../../nodes/MessagingChannel/api/apiRequest';
import type { Operation } from '../../../nodes/MessagingChannel/operation/operation';
import { operations } from '../../support/operations';
import type { Case } from '../../support/operations/case';
import { byPhone } from '../../support/operations/parameters';
import { caseRun } from '../../support/engine/caseRun';

/** One operation with the values of its smallest run, and what kind of call it makes. */
export interface SampleOperation {
	/** `<resource>:<operation>`. */
	name: string;
	run: ReturnType<typeof caseRun>;
	/** The request that the response is to; others only look for what became of it. */
	method: string;
	path: string;
	operation: Operation;
	sends: boolean;
	idempotent: boolean;
	list: boolean;
	download: boolean;
}

function sampleOf(resource: string, value: string, run: Case): SampleOperation {
	const operation = resources
		.find((each) => each.value === resource)
		?.operations.find((each) => each.value === value);
	const [request] = run.requests;
	// The tests look at all that the service responded.
	const whole = operation?.fields?.some(({ name }) => name === 'simplify') ? { simplify: false } : {};
	const parameters = { ...run.parameters, ...whole };
	if (!operation || !request) throw new Error(`${resource}:${value} is not in the table`);
	return {
		name: `${resource}:${value}`,
		run: caseRun({ resource, operation: value }, { parameters, input: run.input?.slice(0, 1) }),
		method: request.method,
		path: request.path,
		operation,
		sends: operation.endpoint.sends !== undefined,
		idempotent: isIdempotent(operation.endpoint),
		list: operation.pagination !== undefined,
		download: operation.download?.({ parameters: {}, settings: {}, file: () => undefined as never }) ?? false,
	};
}

const sendAndWait: Case = {
	parameters: { to: byPhone('905551234567'), message: 'May we?' },
	requests: [{ method: 'POST', path: '/messages/send' }],
	items: [],
};

const everyOperation = [
	...operations.map(({ resource, operation, minimal }) => sampleOf(resource, operation, minimal)),
	sampleOf('message', SEND_AND_WAIT_OPERATION, sendAndWait),
];

/** What decides about what becomes of a response. */
const kindOf = ({ method, idempotent, download, operation, run }: SampleOperation): unknown[] => {
	const { endpoint, pagination, output, interaction } = operation;
	const { sends, inferred } = endpoint;
	return [method, sends, inferred, pagination, output, idempotent, download, interaction, !!run.binary];
};

/** An operation of each kind. */
export const sampleOperations: readonly SampleOperation[] = uniqWith(everyOperation, (one, other) =>
	isEqual(kindOf(one), kindOf(other)),
);
