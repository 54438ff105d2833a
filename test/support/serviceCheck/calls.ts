import { randomUUID } from 'node:crypto';
import isEqual from 'lodash/isEqual';

import { countOf, idOf, isRecord, secondsOf } from '../../../nodes/MessagingChannel/api/values';
import {
	answerOf,
	definition,
	documentedOperations,
	type Documented,
} from '../service/core/documentedOperations';
import { differencesIn, kind, type Difference } from './compare';
import { recordsIn, type Answer, type Asked, type Service } from './service';

/** What came out of a check. */
export interface Findings {
	differences: Difference[];
	/** What could not be compared, and why. */
	notCompared: Array<[call: string, why: string]>;
	/** The status of each inferred call that was made. */
	statuses: Map<string, string>;
}

/** A value of the account that a call needs. Of one that was itself not as described, nothing is certain. */
interface Known {
	value: string;
	isSure: boolean;
}

/** How a call is made, and the status that is right. */
interface Way extends Pick<Asked, 'query' | 'body'> {
	path?: Record<string, Known>;
	expected?: string;
}

const operations = new Map(documentedOperations.map((each) => [each.operationId, each]));
const operationOf = (call: string): Documented => {
	const found = operations.get(call);
	if (!found) throw new Error(`openapi.yaml has no ${call}`);
	return found;
};

/** What says something of the account, and nothing of the description. */
const TOLERATED: Record<string, string> = {
	'webhook.get 404': 'the account has no webhook',
	'broadcast.cancel 400': 'the broadcast was over before',
	'message.send 504': 'the service took too long; the message may have been sent',
};
const ACCOUNT = /^(contact\.check|contact\.sync|(message|media|template)\.send\w*|broadcast\.create) 400$/;

const RATE_LIMIT_HEADERS: Record<string, (text: string) => boolean> = {
	'X-RateLimit-Limit': (text) => /^\d+$/.test(text),
	'X-RateLimit-Remaining': (text) => /^\d+$/.test(text),
	'X-RateLimit-Reset': (text) => /^\d{9,10}$/.test(text),
};

const PAGE_ONE = { page: '1', limit: '1' };

/** Makes the calls, and collects what they show. */
export function createChecker(service: Service) {
	const found: Findings = { differences: [], notCompared: [], statuses: new Map() };
	const { differences, notCompared, statuses } = found;
	const differ = (call: string, where: string, what: string) => void differences.push({ call, where, what });

	function compareHeaders(call: string, headers: Headers): void {
		for (const [name, isRight] of Object.entries(RATE_LIMIT_HEADERS)) {
			const text = headers.get(name);
			if (text === null) differ(call, `header ${name}`, 'is missing');
			else if (!isRight(text)) differ(call, `header ${name}`, `is ${kind(text)}`);
		}
	}

	/** Why another status than the right one is no difference. */
	function excuse(call: string, { status, body }: Answer, isSure: boolean): string | undefined {
		const { error } = (isRecord(body) ? body : {}) as { error?: unknown };
		const permission = operationOf(call)['x-permission'];
		if (status === 403 && permission !== 'valid-key') return `the key lacks the permission '${permission}'`;
		if (status === 429) return 'the rate limit is exceeded';
		if (error === 'account_not_connected' && ACCOUNT.test(`${call} ${status}`))
			return 'the account is not connected';
		return (
			TOLERATED[`${call} ${status}`] ?? (isSure ? undefined : 'what it needs was itself not as described')
		);
	}

	/** Makes a call, and compares its answer. */
	async function look(
		call: string,
		{ path = {}, query, body, expected }: Way = {},
	): Promise<Answer | undefined> {
		const operation = operationOf(call);
		const { method, path: template, responses, 'x-inferred': inferred } = operation;
		const filled = template.replace(/\{(\w+)\}/g, (_, name: string) =>
			encodeURIComponent(path[name]?.value ?? ''),
		);
		const answer = await service.ask({ method, path: filled, query, body });
		if (inferred) statuses.set(call, answer ? `${answer.status}${codeOf(answer)}` : 'no answer');
		if (!answer) return void differ(call, 'the answer', 'did not come');
		const right = expected ?? Object.keys(responses).find((status) => status.startsWith('2')) ?? '200';
		if (String(answer.status) !== right) {
			const why = excuse(
				call,
				answer,
				Object.values(path).every(({ isSure }) => isSure),
			);
			if (why === undefined)
				differ(call, 'status', `is ${answer.status}${codeOf(answer)} instead of ${right}`);
			else notCompared.push([call, why]);
			return why === undefined ? answer : undefined;
		}
		compareHeaders(call, answer.headers);
		const content = answerOf(operation, right) ?? {};
		const schema = content['application/json']?.schema;
		const isFile = 'application/octet-stream' in content && query?.format !== 'json';
		if (answer.isJson !== !isFile)
			differ(call, 'header Content-Type', `is ${isFile ? '' : 'not '}that of JSON`);
		else if (schema && !isFile) differences.push(...differencesIn(call, schema, answer.body));
		return answer;
	}

	/** A field of the first records that have it. */
	function known(call: string, field: string, records: Array<Record<string, unknown>>): Known | undefined {
		const value = records.map((record) => idOf(record[field])).find((id) => id !== undefined);
		const isSure = !differences.some((each) => each.call === call && each.where.split('.').at(-1) === field);
		return value === undefined ? undefined : { value, isSure };
	}

	/** A call that needs something of the account; without it, there is nothing to compare. */
	async function lookAt(call: string, path: Record<string, Known | undefined>, way: Way = {}) {
		const missing = Object.keys(path).find((name) => path[name] === undefined);
		if (missing !== undefined) return void notCompared.push([call, 'the account has nothing to ask for']);
		return await look(call, { ...way, path: path as Record<string, Known> });
	}

	/** One record. Of an account without any, it shows how the service says so. */
	async function lookAtOne(call: string, id: Known | undefined, way: Way = {}) {
		const unknownId = { value: randomUUID(), isSure: true };
		return await look(call, { ...way, path: { id: id ?? unknownId }, ...(id ? {} : { expected: '404' }) });
	}

	/** A list, and whether its pages are as described. What may have changed meanwhile is looked at again. */
	async function lookAtPages(call: string): Promise<Array<Record<string, unknown>>> {
		const answers = [await look(call)];
		const all = recordsIn(answers[0]);
		if (all.length < 2) notCompared.push([`${call}, pages`, 'the list has fewer than two records']);
		else for (const page of ['1', '2']) answers.push(await look(call, { query: { page, limit: '1' } }));
		const [first, one, two] = answers.map(paginationIn);
		if (!one || !two) return all;
		const [ofOne, ofTwo] = answers.slice(1).map(recordsIn) as [unknown[], unknown[]];
		const isNot = (value: number | undefined, right: number) => value !== undefined && value !== right;
		if (ofOne.length > 1) differ(call, 'query limit', 'is ignored: there are more records');
		else if (isNot(one.limit, 1)) differ(call, 'pagination.limit', 'is not the limit that was asked for');
		else if (
			!isEqual(all[0], all[1]) &&
			isEqual(ofOne, ofTwo) &&
			isEqual(ofOne, recordsIn(await look(call, { query: PAGE_ONE })))
		)
			differ(call, 'query page', 'is ignored: the second page is the first');
		else if (ofTwo.length === 0) differ(call, 'query page', 'has nothing on the second page of more');
		else if (isNot(one.page, 1) || isNot(two.page, 2))
			differ(call, 'pagination.page', 'is not the page that was asked for');
		const totals = [first, one, two].map((each) => each?.total);
		const isChanged = new Set(totals).size > 1 && !totals.includes(undefined);
		if (isChanged && paginationIn(await look(call))?.total === first?.total)
			differ(call, 'pagination.total', 'changes from page to page');
		else if ((first?.total ?? Infinity) < all.length)
			differ(call, 'pagination.total', 'is less than the records');
		return all;
	}

	/** A chat's messages, and whether the cursor is as described. */
	async function lookAtMessages(chat: Known, all: Array<Record<string, unknown>>): Promise<void> {
		const call = 'chat.getMessages';
		const times = all.map(({ timestamp }) => secondsOf(timestamp));
		const [newest, oldest] = [times[0], times.at(-1)];
		if (newest === undefined || newest === oldest || times.includes(undefined))
			return void notCompared.push([
				`${call}, cursor`,
				'there are no two messages of a time that is understood',
			]);
		const isDescending = times.every(
			(time, place) => place === 0 || Number(time) <= Number(times[place - 1]),
		);
		if (!isDescending) differ(call, 'data[].timestamp', 'is not from the newest to the oldest');
		if (recordsIn(await look(call, { path: { chatId: chat }, query: { limit: '1' } })).length > 1)
			differ(call, 'query limit', 'is ignored: there are more records');
		const before = new Date(newest * 1000).toISOString();
		const query = { before, include_raw: 'false', include_presigned_url: 'false' };
		const answer = await look(call, { path: { chatId: chat }, query });
		const older = recordsIn(answer);
		if (older.some(({ timestamp }) => Number(secondsOf(timestamp)) >= newest))
			differ(call, 'query before', 'is ignored: there are newer records');
		else if (answer && older.length === 0 && times.some((time) => Number(time) < newest))
			differ(call, 'query before', 'finds no older records');
		if (older.some((record) => 'raw' in record)) differ(call, 'query include_raw', 'is ignored');
		const hasUrl = ({ media }: Record<string, unknown>) => isRecord(media) && 'presigned_url' in media;
		if (older.some(hasUrl)) differ(call, 'query include_presigned_url', 'is ignored');
	}

	return {
		found,
		look,
		lookAt,
		lookAtOne,
		lookAtPages,
		lookAtMessages,
		known,
	};
}

/** The code of an error, if it is one that the description has. Another one could be anything. */
function codeOf({ status, body }: Answer): string {
	const { error } = (isRecord(body) ? body : {}) as { error?: unknown };
	if (status < 300 || error === undefined) return '';
	return KNOWN_CODES.has(error) ? ` ${String(error)}` : ' with a code that is not described';
}

const KNOWN_CODES = new Set<unknown>(
	[...JSON.stringify(definition.components.responses).matchAll(/"error":\{"enum":(\[[^\]]*\])/g)].flatMap(
		([, codes = '[]']) => JSON.parse(codes) as unknown[],
	),
);

function paginationIn(answer: Answer | undefined) {
	const { pagination } = (isRecord(answer?.body) ? answer.body : {}) as { pagination?: unknown };
	if (!isRecord(pagination)) return undefined;
	return {
		page: countOf(pagination.page),
		limit: countOf(pagination.limit),
		total: countOf(pagination.total),
	};
}
