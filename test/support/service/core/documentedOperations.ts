import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The parts of a JSON schema that the description uses. */
export interface Schema {
	$ref?: string;
	type?: string;
	enum?: unknown[];
	default?: unknown;
	items?: Schema;
	required?: string[];
	properties?: Record<string, Schema>;
	allOf?: Schema[];
	anyOf?: Schema[];
	oneOf?: Schema[];
	'x-inferred'?: boolean;
	'x-seen'?: boolean;
}

export interface Parameter {
	$ref?: string;
	name: string;
	in: 'path' | 'query';
	required?: boolean;
	schema: Schema;
}

type Content = Record<string, { schema?: Schema }>;

interface Answer {
	$ref?: string;
	content?: Content;
}

/** One operation of the description, with the parameters that its path has for all. */
export interface Documented {
	/** Below the base URL. */
	path: string;
	/** In capitals. */
	method: string;
	/** `<resource>.<operation>` */
	operationId: string;
	parameters: Parameter[];
	requestBody?: { content: Content };
	responses: Record<string, Answer>;
	/** A permission, or `valid-key` ("Authentication 3 and 4"). */
	'x-permission': string;
	'x-inferred'?: 'endpoint' | 'body';
}

type PathItem = Record<string, Omit<Documented, 'path' | 'method'>> & { parameters?: Parameter[] };

/** openapi.yaml as an object. */
export const definition = parse(readFileSync(join(__dirname, '..', 'openapi.yaml'), 'utf8'), {
	merge: true,
	maxAliasCount: -1,
}) as {
	paths: Record<string, PathItem>;
	components: { responses: object; schemas: object };
	'x-webhooks': Record<string, { post: { requestBody: { content: Content } } }>;
};

/** The body of each event. */
export const documentedEvents = Object.entries(definition['x-webhooks']).map(
	([event, { post }]) => [event, post.requestBody.content['application/json']?.schema ?? {}] as const,
);

/** Every operation of the description. */
export const documentedOperations: readonly Documented[] = Object.entries(definition.paths).flatMap(
	([path, { parameters: shared = [], ...methods }]) =>
		Object.entries(methods).map(([method, documented]) => ({
			...documented,
			path,
			method: method.toUpperCase(),
			parameters: [...shared, ...(documented.parameters ?? [])].map(resolved),
		})),
);

/** What an operation answers with a status; undefined if the description does not have it. */
export function answerOf({ responses }: Documented, status: number | string): Content | undefined {
	const answer = responses[status];
	return answer && (resolved(answer).content ?? {});
}

/** What a reference leads to, also through an `allOf` of one. */
export function resolved<T extends { $ref?: string }>(start: T): T {
	if (start.$ref !== undefined) {
		const keys = start.$ref.replace('#/', '').split('/');
		const target = keys.reduce(
			(part: unknown, key) => (part as Record<string, unknown>)[key],
			definition as unknown,
		);
		return resolved(target as T);
	}
	const only = (start as Schema).allOf?.[0];
	return only ? { ...start, ...resolved(only) } : start;
}
