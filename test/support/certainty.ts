import { resources } from '../../nodes/MessagingChannel/actions';
import { EVENT_OPTIONS } from '../../nodes/MessagingChannel/fields/events';
import { documentedEvents } from './service/core/documentedOperations';
import { converted, outputSchemas, type Certainty, type OutputSchema } from './outputSchemas';

const events = (): Array<[event: string, body: OutputSchema]> =>
	documentedEvents.map(([event, body]) => [event, converted(body, 'published')]);

/** The fields that are so certain, each for all that is in it where that is the same. */
function fieldsThatAre(certainty: Certainty, { properties, items }: OutputSchema): string[] {
	return Object.entries(properties ?? items?.properties ?? {}).flatMap(([name, field]) =>
		isWholly(certainty, field) ? [name] : fieldsThatAre(certainty, field).map((inner) => `${name}.${inner}`),
	);
}

function isWholly(certainty: Certainty, { description, properties, items }: OutputSchema): boolean {
	const fields = Object.values(properties ?? items?.properties ?? {});
	return description === certainty && fields.every((field) => isWholly(certainty, field));
}

/** What the panels say the service does not publish: the fields of the output of each operation, and of each event. */
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
	const named = [...ofOperations, ...events()].map(([id, schema]) => {
		const seen = fieldsThatAre('seen', schema).map((field) => `${field} (seen in an answer)`);
		return [id, [...fieldsThatAre('inferred', schema), ...seen].join(', ')];
	});
	return Object.fromEntries(named.filter(([, fields]) => fields !== ''));
}

/** How certain the fields of each event are. */
export function eventsList(): string {
	return events()
		.flatMap(([event, body]) =>
			(['published', 'seen', 'inferred'] as const).map((certainty) => {
				const { name = event } = EVENT_OPTIONS.find(({ value }) => value === event) ?? {};
				const fields = fieldsThatAre(certainty, body).map((field) => `\`${field}\``);
				return fields.length > 0 ? `- ${name}, ${certainty}: ${fields.join(', ')}\n` : '';
			}),
		)
		.join('')
		.trimEnd();
}
