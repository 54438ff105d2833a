import type { INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import type { FileRecord } from '../service/core/mediaStore';
import type { Seed } from '../service/core/controlServer';

/** What a value must be; text that only the service knows is given as the pattern that it matches. */
export type Expected =
	string | number | boolean | null | RegExp | readonly Expected[] | { readonly [name: string]: Expected };

/** One request as the service must receive it; what is left out must be absent. */
export interface ExpectedRequest {
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** Below the base URL, encoded. */
	path: string;
	query?: Readonly<Record<string, string>>;
	/** JSON body. */
	body?: Expected;
	multipart?: { fields: Readonly<Record<string, string>>; file: Readonly<FileRecord> };
}

/** A file: what it is called, and its bytes in base64. */
export interface FileContent {
	fileName: string;
	mimeType: string;
	base64: string;
}

/** One item as n8n must save it. */
export interface ExpectedItem {
	json: { readonly [name: string]: Expected };
	/** Downloaded files by their field. */
	binary?: Readonly<Record<string, FileContent>>;
	/** Index of the input item it comes from, or of all of them; 0 unless said otherwise. */
	from?: number | readonly number[];
}

/** One input item. */
export interface InputItem {
	json?: object;
	/** Put in the binary field `data`; either every item of a case has one, or none. */
	file?: FileContent;
}

/** One run of an operation. */
export interface Case {
	/** As a saved workflow holds them, without `resource` and `operation`. */
	parameters: INodeParameters;
	/** One empty item unless said otherwise. */
	input?: readonly InputItem[];
	requests: readonly ExpectedRequest[];
	items: readonly ExpectedItem[];
}

/** A value that must be refused before anything is sent. */
export interface BadInput {
	/** Where in the parameters of `minimal` it stands, e.g. `to.value`. */
	at: string;
	value: NodeParameterValueType;
	/** A value that is taken at the same place, when `minimal` has none there. */
	good?: NodeParameterValueType;
	/** The label of the field, which the error names. */
	label: string;
	/** What else the error says, such as the value. */
	says: string;
	/** Laid over the parameters of `minimal`. */
	with: INodeParameters;
}

/** A request made to the service before the case, for records that cannot be seeded. */
export interface ApiCall {
	method: 'POST' | 'DELETE';
	path: string;
	body?: Expected;
}

/** What one operation of the contract does. */
export interface OperationCases {
	resource: string;
	operation: string;
	/** What the service holds beforehand. */
	seed?: Seed;
	/** Made after the seed. */
	calls?: readonly ApiCall[];
	/** Keeps what was accepted from being sent, so that nothing changes meanwhile. */
	queueHeld?: true;
	/** Only what is required. */
	minimal: Case;
	/** Every parameter that the API has for the call; left out when `minimal` has them all. */
	full?: Case;
	/** Further rules, by the behaviour they show. */
	more?: Readonly<Record<string, Case>>;
	/** The first of them is also used to fail one item among others; without one, the service refuses that item. */
	bad: readonly BadInput[];
	/** A second good value in the place of the first bad one, when a record can be used only once. */
	again?: string;
	/** Set if all items share one request, so that none fails alone. */
	isOnce?: true;
	/** A correction of an inferred body that the service takes. */
	corrections?: { readonly [name: string]: Expected };
}

/** A date-time as the service writes it. */
export const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

export const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const jobId = /^job-\d+$/;

/** What the service says of a text that it has taken. */
export const queued = (to: string) => ({ queued: true, job_id: jobId, to, outcome: 'queued' });

const call =
	<Method extends ExpectedRequest['method']>(method: Method) =>
	(path: string, body?: Expected) => ({ method, path, ...(body !== undefined && { body }) });

/** Requests of a case. */
export const get = (path: string, query?: ExpectedRequest['query']): ExpectedRequest => ({
	method: 'GET',
	path,
	...(query && { query }),
});
export const post = call('POST');
export const put = call('PUT');
export const remove = call('DELETE');

/** A case with one request, and the records that come of it. */
export const caseWith = (
	parameters: INodeParameters,
	request: ExpectedRequest,
	...records: Array<ExpectedItem['json']>
): Case => ({ parameters, requests: [request], items: records.map((json) => ({ json })) });

/** The operations of a resource, by name. */
export const operationsOf = (
	resource: string,
	byName: Record<string, Omit<OperationCases, 'resource' | 'operation'>>,
): OperationCases[] =>
	Object.entries(byName).map(([operation, cases]) => ({ resource, operation, ...cases }));

/** A value that must be refused, and how the error says so. */
export const wrong = (
	at: string,
	value: BadInput['value'],
	label: string,
	says = '',
	more: INodeParameters = {},
): BadInput => ({ at, value, label, says, with: more });

/** IDs that name no record. */
export const badIds = (at: string, label: string): BadInput[] => [
	wrong(at, '', label),
	wrong(at, '..', label, "'..'"),
];

/** A limit that no list has. */
export const badLimit: BadInput = { ...wrong('limit', 0, 'Limit', '0'), good: 50 };

/** A list: with the limit that the panel begins with, and with a limit of one. */
export const listOf = (
	path: string,
	records: Array<ExpectedItem['json']>,
	queryOf: (limit: string) => ExpectedRequest['query'] = () => undefined,
) => ({
	minimal: caseWith({}, get(path, queryOf('50')), ...records),
	full: caseWith({ returnAll: false, limit: 1 }, get(path, queryOf('1')), ...records.slice(0, 1)),
	bad: [badLimit],
});
