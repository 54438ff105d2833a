import defaults from 'lodash/defaults';
import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';

import { resources } from '../../nodes/MessagingChannel/actions';
import { withWarning } from '../../nodes/MessagingChannel/actions/webhook/rotateSecret';
import { deleted, type Operation } from '../../nodes/MessagingChannel/operation/operation';
import { ANSWERED_AT } from '../../nodes/MessagingChannel/sendAndWait/formField';
import {
	documentedOperations,
	resolved,
	type Documented,
	type Schema,
} from './service/core/documentedOperations';

/** Whether the service publishes a field, an answer of a real account showed it, or it is only likely. */
export type Certainty = 'published' | 'seen' | 'inferred';

/** The shape of an output, in the form that n8n's editor reads. */
export interface OutputSchema {
	type: string;
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
	/** It may also be null. n8n shows a list of types without the fields of an object in it. */
	nullable?: true;
	/** Of each field of the service, how certain it is. */
	description?: Certainty;
	/** n8n's own schemas carry the version of their format. */
	version?: number;
}

/** What stands beside the binary data of a downloaded file. */
const FILE: OutputSchema = {
	type: 'object',
	properties: {
		filename: { type: 'string' },
		mimetype: { type: 'string' },
		size: { type: 'integer', nullable: true },
	},
};

/** The answer to a question is not the service's. Most questions are approvals, and all say when they were answered. */
const ANSWERED: OutputSchema = {
	type: 'object',
	properties: {
		data: {
			type: 'object',
			properties: { approved: { type: 'boolean' }, [ANSWERED_AT]: { type: 'string' } },
		},
	},
};

/** What stands beside a new signing secret. */
const WARNING: OutputSchema = { type: 'object', properties: { warning: { type: 'string' } } };

/** A row of a report, such as that of the setup. */
const ROW: OutputSchema = {
	type: 'object',
	properties: mapValues({ check: '', status: '', detail: '', advice: '' }, () => ({ type: 'string' })),
};

const DELETED: OutputSchema = { type: 'object', properties: { deleted: { type: 'boolean' } } };

/**
 * What n8n shows of an item before the first run, by file below `__schema__`. The folder of a node's version has three
 * numbers, and each item is one record, whether the operation returns one or many.
 */
export function outputSchemas(): Record<string, OutputSchema> {
	const documented = new Map(documentedOperations.map((found) => [found.operationId, found]));
	return Object.fromEntries(
		resources.flatMap((resource) =>
			resource.operations.map((operation) => [
				`v1.0.0/${resource.value}/${operation.value}.json`,
				{ ...outputOf(operation, documented.get(`${resource.value}.${operation.value}`)), version: 1 },
			]),
		),
	);
}

function outputOf(
	{ output, download, interaction, report, parts, endpoint, fields = [] }: Operation,
	documented?: Documented,
): OutputSchema {
	if (interaction) return ANSWERED;
	if (report) return ROW;
	if (output === deleted) return DELETED;
	const records = Object.entries(documented?.responses ?? {})
		.filter(([status]) => status.startsWith('2'))
		// What an operation does by default comes first: a send is queued (202).
		.sort(([one], [other]) => Number(other) - Number(one))
		.flatMap(([, { content = {} }]) => content['application/json']?.schema ?? [])
		.map((answer) => {
			const certainty = certaintyOf(answer) ?? (documented?.['x-inferred'] ? 'inferred' : 'published');
			return converted(recordIn(resolved(answer)), certainty);
		});
	const [usual] = records;
	const sent = endpoint.sends ? [sentFields(fields.some(({ name }) => name === 'to'))] : [];
	const beside = [
		...(output === withWarning ? [WARNING] : []),
		...(parts && usual ? [partsWith(merged([usual, ...sent]))] : []),
		...sent,
	];
	return merged([...(download ? [FILE] : []), ...records, ...beside]);
}

/** The record in an answer: that of `data`, or else the fields beside `success`. */
function recordIn({ properties = {} }: Schema): Schema {
	const { data } = properties;
	if (!data) return { type: 'object', properties: omit(properties, 'success') };
	const { type, items = {} } = resolved(data);
	return type === 'array' ? items : data;
}

/** What every item of a send has. A broadcast has no single recipient. */
function sentFields(hasRecipient: boolean): OutputSchema {
	const text: OutputSchema = { type: 'string' };
	return { type: 'object', properties: { ...(hasRecipient && { to: text }), outcome: text } };
}

/** What stands in place of single records when a text is sent as several messages. */
function partsWith(record: OutputSchema): OutputSchema {
	return { type: 'object', properties: { parts: { type: 'array', items: record } } };
}

/** The fields of all; what stands first holds. */
function merged(schemas: OutputSchema[]): OutputSchema {
	return {
		type: 'object',
		properties: defaults({}, ...schemas.map(({ properties }) => properties)) as Record<string, OutputSchema>,
	};
}

/** The mark of a schema itself. What has none is as certain as what it is in. */
function certaintyOf(schema: Schema): Certainty | undefined {
	const { 'x-seen': isSeen, 'x-inferred': isInferred } = { ...schema, ...resolved(schema) };
	if (isSeen) return 'seen';
	return isInferred ? 'inferred' : undefined;
}

/**
 * A schema of `openapi.yaml` as n8n's editor reads it.
 *
 * @param around how certain what it is in is
 */
export function converted(schema: Schema, around: Certainty): OutputSchema {
	const certainty = certaintyOf(schema) ?? around;
	const { type = 'object', properties, items, anyOf } = resolved(schema);
	if (anyOf) {
		const isNull = ({ enum: values }: Schema): boolean => values?.[0] === null;
		const other = anyOf.find((branch) => !isNull(branch));
		return { ...converted(other ?? {}, certainty), ...(anyOf.some(isNull) ? { nullable: true } : {}) };
	}
	const named = mapValues(properties, (property) => ({
		...converted(property, certainty),
		description: certaintyOf(property) ?? certainty,
	}));
	return {
		type,
		...(properties ? { properties: named } : {}),
		...(items ? { items: converted(items, certainty) } : {}),
	};
}
