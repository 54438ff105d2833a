import { resources } from '../../nodes/MessagingChannel/actions';
import { EVENT_OPTIONS } from '../../nodes/MessagingChannel/fields/events';
import { documentedEvents } from './service/documentedOperations';
import { table } from './table';
import { converted, outputSchemas, type OutputSchema } from './outputSchemas';

const events = (): Array<[event: string, body: OutputSchema]> =>
	documentedEvents().map(([event, body]) => [event, converted(body, 'published')]);

/** The fields of which nothing is certain, each with all that is in it. */
function inferredIn({ properties, items }: OutputSchema): string[] {
	return Object.entries(properties ?? items?.properties ?? {}).flatMap(([name, field]) => {
		const inner = inferredIn(field);
		if (field.description === 'inferred' && isWholly(field)) return [name];
		return inner.map((each) => `${name}.${each}`);
	});
}

function isWholly({ properties, items }: OutputSchema): boolean {
	const fields = Object.values(properties ?? items?.properties ?? {});
	return fields.every((field) => field.description === 'inferred' && isWholly(field));
}

/** What the panels say is not certain: the fields of the output of each operation, and of each event. */
export function inferredFields(): Record<string, string> {
	const schemas = outputSchemas();
	const ofOperations = resources.flatMap((resource) =>
		// The panel of an inferred call says more.
		resource.operations
			.filter(({ endpoint }) => !endpoint.inferred)
			.map(({ value }): [string, OutputSchema] => {
				const schema = schemas[`v1.0.0/${resource.value}/${value}.json`];
				return [`${resource.value}.${value}`, schema ?? { type: 'object' }];
			}),
	);
	const named = [...ofOperations, ...events()].map(([id, schema]) => [id, inferredIn(schema).join(', ')]);
	return Object.fromEntries(named.filter(([, fields]) => fields !== ''));
}

/** The fields of an object and of those in it. */
function fieldsOf({ properties = {} }: OutputSchema): Array<[path: string, certainty: string]> {
	return Object.entries(properties).flatMap(([name, field]) => [
		[name, field.description ?? ''] satisfies [string, string],
		...fieldsOf(field).map(([path, certainty]): [string, string] => [`${name}.${path}`, certainty]),
	]);
}

/** How certain each field of each event is. */
export function eventsTable(): string {
	const all = events().map(([event, body]) => ({ event, fields: new Map(fieldsOf(body)) }));
	const paths = [...new Set(all.flatMap(({ fields }) => [...fields.keys()]))];
	const nameOf = (event: string) => EVENT_OPTIONS.find(({ value }) => value === event)?.name ?? event;
	return table(
		['Field', ...all.map(({ event }) => nameOf(event))],
		paths.map((path) => [`\`${path}\``, ...all.map(({ fields }) => fields.get(path) ?? '–')]),
	);
}
