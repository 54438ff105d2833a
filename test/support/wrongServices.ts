import { request as forward, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { cloneDeep, omit } from 'lodash';

import { close, createHttpServer, listen } from './localServer';
import { API_PATH } from './service/apiPath';
import { documentedOperations, resolved, type Documented, type Schema } from './service/documentedOperations';
import type { Random } from './service/core/random';
import type { Service } from './service/service';
import { callerOf } from './service/testing';

/** An answer on its way. */
export interface Passing {
	status: number;
	headers: OutgoingHttpHeaders;
	/** Undefined for a file. */
	json?: unknown;
	/** In place of everything. */
	raw?: string;
	/** Whether the connection ends without it. */
	isLost?: boolean;
}

/** One way in which a service is wrong. */
export interface Wrong {
	/** What a report must name: the call and the place. */
	named: string;
	operationId: string | undefined;
	query?: (query: URLSearchParams) => void;
	answer?: (passing: Passing) => void;
}

const operations = documentedOperations();

function operationOf(method: string, path: string): Documented | undefined {
	// A path without parameters comes before one with.
	return operations
		.filter((each) => each.method === method)
		.sort((one, other) => Number(one.path.includes('{')) - Number(other.path.includes('{')))
		.find((each) => new RegExp(`^${each.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path));
}

/** A proxy before the service, with a path of its own, which can make it wrong. */
export async function startWrongService(origin: string) {
	const samples = new Map<string, unknown>();
	let wrong: Wrong | undefined;
	const server = createHttpServer((incoming, response) => {
		const { method = '', headers, url = '' } = incoming;
		const { pathname, searchParams } = new URL(url.replace('/gateway', ''), origin);
		const operation = operationOf(method, pathname.replace(API_PATH, ''));
		const isHit = wrong && (wrong.operationId === undefined || wrong.operationId === operation?.operationId);
		if (isHit) wrong?.query?.(searchParams);
		const outgoing = forward(
			`${origin}${pathname}?${searchParams.toString()}`,
			{ method, headers },
			async (answer) => {
				const body = await text(answer);
				const isJson = answer.headers['content-type']?.startsWith('application/json');
				const status = answer.statusCode ?? 502;
				const passing: Passing = {
					status,
					headers: omit(answer.headers, 'content-length'),
					json: isJson ? JSON.parse(body) : undefined,
				};
				if (isJson && operation && passing.status < 300 && !isHit)
					samples.set(`${operation.operationId} ${passing.status}`, cloneDeep(passing.json));
				if (isHit && passing.status < 300) wrong?.answer?.(passing);
				if (passing.isLost) return void response.destroy();
				response.writeHead(passing.status, passing.headers);
				response.end(passing.raw ?? (passing.json === undefined ? body : JSON.stringify(passing.json)));
			},
		);
		incoming.pipe(outgoing);
	});
	const address = await listen(server);
	return {
		baseUrl: `${address}/gateway${API_PATH}`,
		samples,
		be: (next: Wrong | undefined) => void (wrong = next),
		stop: async () => await close(server),
	};
}

/** The places of a value: its holder and its name there. */
function holdersOf(value: unknown, [part, ...rest]: string[]): Array<[Record<string, unknown>, string]> {
	if (part === undefined || typeof value !== 'object' || value === null) return [];
	const fields = value as Record<string, unknown>;
	if (part === '[]')
		return Object.keys(value).flatMap((index) =>
			rest.length > 0 ? holdersOf(fields[index], rest) : [[fields, index] satisfies [object, string]],
		);
	if (!(part in fields)) return [];
	return rest.length > 0 ? holdersOf(fields[part], rest) : [[fields, part]];
}

const shown = (path: string[]) => path.join('.').replaceAll('.[]', '[]');

const OTHER: Record<string, unknown> = {
	string: { odd: 1 },
	integer: 'odd',
	boolean: 'odd',
	array: 'odd',
	object: 7,
};

/** All ways to be wrong in a value, by kind. */
function wrongsIn(
	named: string,
	schema: Schema,
	path: string[],
	sample: unknown,
): Array<[kind: string, Wrong]> {
	const { anyOf, ...rest } = resolved(schema);
	const {
		type = '',
		properties,
		required = [],
		items,
		enum: values,
		additionalProperties: more,
		format,
		pattern,
	} = {
		...rest,
		...anyOf?.find((branch) => branch.enum?.[0] !== null),
	} as Schema & { additionalProperties?: unknown; format?: string; pattern?: string };
	const [operationId] = named.split(' ');
	const places =
		path.length === 0 ? [] : holdersOf(sample, path).filter(([holder, name]) => holder[name] !== null);
	if (path.length > 0 && places.length === 0) return [];
	const change = (
		kind: string,
		at: string[],
		to: (holder: Record<string, unknown>, name: string) => void,
	): [string, Wrong] => [
		kind,
		{
			named: `${operationId} ${shown(at)}`,
			operationId,
			answer: ({ json }) => {
				for (const [holder, name] of holdersOf(json, path.length === 0 ? [at[0] ?? ''] : path))
					if (holder[name] !== null) to(holder, name);
			},
		},
	];
	const put = (kind: string, value: unknown) => change(kind, path, (holder, name) => (holder[name] = value));
	return [
		...(path.length > 0 && type !== '' ? [put('type', OTHER[type])] : []),
		...(path.length > 0 && !anyOf && type !== '' ? [put('null', null)] : []),
		...(format === 'date-time' ? [put('date', '2031-02-03 04:05:06'), put('date', '03/02/2031')] : []),
		...(format === 'unix-seconds' ? [put('date', 1_900_000_000_000)] : []),
		...(values && type === 'string' ? [put('value', 'odd')] : []),
		...(values && type === 'boolean' ? [put('value', !values[0])] : []),
		...(pattern !== undefined ? [put('pattern', 'odd')] : []),
		...(properties && more === false && path.length > 0
			? [
					change(
						'unknown',
						[...path, 'odd'],
						(holder, name) => ((holder[name] as Record<string, unknown>).odd = 'Ada'),
					),
				]
			: []),
		...Object.entries(properties ?? {}).flatMap(([name, inner]) => [
			...(required.includes(name) && holdersOf(sample, [...path, name]).length > 0
				? [
						[
							'missing',
							{
								named: `${operationId} ${shown([...path, name])}`,
								operationId,
								answer: ({ json }) => {
									for (const [holder, key] of holdersOf(json, [...path, name])) delete holder[key];
								},
							},
						] satisfies [string, Wrong],
					]
				: []),
			...wrongsIn(named, inner, [...path, name], sample),
		]),
		...(items ? wrongsIn(named, items, [...path, '[]'], sample) : []),
	];
}

const HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const NOT_COMPARED = 'not compared';

/** Ways to be wrong outside of the body. */
function wrongsAround(call: string): Array<[kind: string, Wrong]> {
	const of = (kind: string, where: string, answer: Wrong['answer']): [string, Wrong] => [
		kind,
		{ named: `${call} ${where}`, operationId: call, answer },
	];
	const needsPermission = operations.some(
		(each) => each.operationId === call && each['x-permission'] !== 'valid-key',
	);
	const error = { success: false, error: 'odd', message: 'Ada' };
	return [
		...HEADERS.flatMap((name) => [
			of('header', `header ${name}`, ({ headers }) => delete headers[name.toLowerCase()]),
			of('header', `header ${name}`, ({ headers }) => (headers[name.toLowerCase()] = 'soon')),
		]),
		...[204, 302, 401, 404, 500].map((status) =>
			of('status', 'status', (passing) => Object.assign(passing, { status, json: error })),
		),
		of('status', needsPermission ? NOT_COMPARED : 'status', (passing) =>
			Object.assign(passing, { status: 403, json: error }),
		),
		of('lost', 'the answer', (passing) => (passing.isLost = true)),
	];
}

/** Ways to be wrong in the pages of a list. */
function wrongPages(call: string): Array<[kind: string, Wrong]> {
	const of = (where: string, rest: Partial<Wrong>): [string, Wrong] => [
		'pages',
		{ named: `${call} ${where}`, operationId: call, ...rest },
	];
	type Page = { data: unknown[]; pagination: Record<string, number> };
	const pageOf = ({ json }: Passing) => json as Page;
	const count = (name: string, to: (page: Page) => number) =>
		of(`pagination.${name}`, {
			answer: (passing) => (pageOf(passing).pagination[name] = to(pageOf(passing))),
		});
	return [
		of('query limit', { query: (query) => query.delete('limit') }),
		of('query page', { query: (query) => query.delete('page') }),
		count('total', ({ data }) => data.length),
		count('page', ({ pagination: { page = 0 } }) => page - 1),
		count('limit', () => 50),
	];
}

const wrongCursors: Array<[kind: string, Wrong]> = (
	['limit', 'before', 'include_raw', 'include_presigned_url'] as const
).map((name) => [
	'cursor',
	{
		named: `chat.getMessages query ${name}`,
		operationId: 'chat.getMessages',
		query: (query) => query.delete(name),
	},
]);

/** Every way to be wrong in what was sampled, by kind. */
export function wrongServices(samples: ReadonlyMap<string, unknown>): Map<string, Wrong[]> {
	const all = [...samples].flatMap(([named, sample]) => {
		const [operationId = '', status = ''] = named.split(' ');
		const { responses } = operations.find((each) => each.operationId === operationId) as Documented;
		const { content = {} } = resolved(
			responses[status] as Documented['responses'][string] & { $ref?: string },
		);
		const schema = content['application/json']?.schema ?? {};
		const isPaged = resolved(schema).properties?.pagination !== undefined;
		return [
			...wrongsIn(named, schema, [], sample),
			...wrongsAround(operationId),
			...(isPaged ? wrongPages(operationId) : []),
		];
	});
	const found = new Map<string, Wrong[]>();
	for (const [kind, wrong] of [...all, ...wrongCursors]) found.set(kind, [...(found.get(kind) ?? []), wrong]);
	return found;
}

/** Some of them, of every kind in turn. */
export function drawn(kinds: ReadonlyMap<string, Wrong[]>, count: number, random: Random): Wrong[] {
	const lists = [...kinds.values()];
	return Array.from({ length: count }, (_, index) => {
		const list = lists[index % lists.length] ?? [];
		return list[Math.floor(random.next() * list.length)] as Wrong;
	});
}

/** Fills an account with something of everything. */
export async function fillAccount(service: Omit<Service, 'stop'>, numbers: readonly string[]): Promise<void> {
	const { control } = service;
	const call = callerOf(() => service);
	const chat = `${numbers[0]}@c.us`;
	await control.configure({
		redelivery: { maxAttempts: 1, backoffMs: 1 },
		sendDelay: { minMs: 0, maxMs: 0 },
	});
	await control.seed({
		chats: [
			{ id: '120363000000000000@g.us', name: 'Hidden' },
			{ id: chat, name: 'Ada Lovelace' },
		],
		contacts: numbers.map((phone) => ({ phone, name: 'Ada Lovelace', tags: ['Hidden'] })),
		groups: [{ name: 'Hidden' }],
		tags: [{ name: 'Hidden' }],
		templates: [{ name: 'Hidden', content: 'Hi {{secret}}', variables: ['secret'] }],
		messages: [1, 2, 3].map((minute) => ({
			chatId: chat,
			body: 'secret',
			timestamp: 1_790_000_000 + minute * 60,
			...(minute < 3 && { media: { mimetype: 'image/png', bytes: 10 } }),
		})),
	});
	const url = 'https://crm.example.com/in';
	await control.setWebhook({
		config: { url, events: ['message.sent'], is_active: true, timeout_seconds: 30 },
	});
	const texts = { name: 'Hidden', message: 'secret', variables: { secret: 'secret' } };
	const rule = { name: 'Hidden', trigger_type: 'keyword', trigger_value: 'secret', reply: 'secret' };
	for (const to of numbers) {
		await call('POST', '/auto-replies', rule);
		await call('POST', '/messages/broadcast', { ...texts, recipients: [to] });
		await call('POST', '/messages/schedule', { to, message: 'secret', scheduled_at: '2031-01-01T00:00:00Z' });
	}
	await control.idle();
	await control.clearRequests();
}
