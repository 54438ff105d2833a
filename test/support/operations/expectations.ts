import { API_PATH } from '../service/apiPath';
import type { Service } from '../service/service';
import { callerOf } from '../service/testing';
import type { RequestRecord } from '../service/core/requestLog';
import type { Case, Expected, ExpectedItem, ExpectedRequest, OperationCases } from './case';

/** What the service must hold before a case. */
export type Preparation = Pick<OperationCases, 'seed' | 'calls' | 'queueHeld'>;

/** Puts into an empty service what a case needs. */
export async function seedService(
	service: Omit<Service, 'stop'>,
	{ seed, calls = [], queueHeld }: Preparation,
): Promise<void> {
	const call = callerOf(() => service);
	if (queueHeld) await service.control.holdQueue();
	if (seed) await service.control.seed(seed);
	for (const { method, path, body } of calls) {
		const answer = await call(method, path, body);
		if (answer.status >= 300) throw new Error(`${method} ${path} answered ${JSON.stringify(answer.body)}`);
	}
	await service.control.clearRequests();
}

/** Empties the service and puts into it what a case needs. */
export async function prepareService(
	{ service }: { service: Service },
	preparation: Preparation,
): Promise<void> {
	await service.control.reset();
	await seedService(service, preparation);
}

/** The parts of a received request that a case speaks of. */
export const partsOf = ({ method, path, query, body, multipart }: RequestRecord) => ({
	method,
	path,
	query,
	body,
	multipart,
});

/** What `partsOf` must give for a request. */
export const expectedParts = ({ path, query = {}, ...request }: ExpectedRequest): unknown => ({
	...(matching(request as unknown as Expected) as object),
	path: API_PATH + path,
	query,
});

/** What n8n must put out, files aside. */
export const expectedItems = (items: readonly ExpectedItem[]): unknown[] =>
	items.map(({ json, from = 0 }) => ({ json: matching(json), pairedItem: pairedWith(from) }));

const pairedWith = (from: NonNullable<ExpectedItem['from']>) =>
	typeof from === 'number' ? { item: from } : from.map((item) => ({ item }));

/** The value, with Jest's matchers in place of its patterns. */
export function matching(value: Expected): unknown {
	if (value instanceof RegExp) return expect.stringMatching(value);
	if (isList(value)) return value.map(matching);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, matching(part)]));
}

const isList = (value: Expected): value is readonly Expected[] => Array.isArray(value);

/** Every case of an operation, by the behaviour it shows. */
export const casesOf = ({ minimal, full, more }: OperationCases): Array<[string, Case]> =>
	Object.entries({
		'sends and puts out what is required': minimal,
		...(full && { 'sends every parameter of the API': full }),
		...more,
	});
