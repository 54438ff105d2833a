import { loadDefinition } from './core/description';

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

/** One operation of the description, with the parameters that its path has for all. */
export interface Documented {
	path: string;
	/** In capitals. */
	method: string;
	operationId: string;
	parameters: Parameter[];
	requestBody?: { content: Content };
	responses: Record<string, { content?: Content }>;
	'x-permission': string;
	'x-inferred'?: 'endpoint' | 'body';
}

type PathItem = Record<string, Omit<Documented, 'path' | 'method'>> & { parameters?: Parameter[] };

const definition = loadDefinition() as unknown as {
	paths: Record<string, PathItem>;
	'x-webhooks': Record<string, { post: { requestBody: { content: Content } } }>;
};

/** The body of each event. */
export const documentedEvents = (): Array<[event: string, body: Schema]> =>
	Object.entries(definition['x-webhooks']).map(([event, { post }]) => [
		event,
		post.requestBody.content['application/json']?.schema ?? {},
	]);

/** Every operation of the description. */
export function documentedOperations(): Documented[] {
	return Object.entries(definition.paths).flatMap(([path, { parameters: shared = [], ...methods }]) =>
		Object.entries(methods).map(([method, documented]) => ({
			...documented,
			path,
			method: method.toUpperCase(),
			parameters: [...shared, ...(documented.parameters ?? [])].map(resolved),
		})),
	);
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
