import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { GET_TEMPLATE, GET_TEMPLATES } from '../api/endpoints';
import { isRecord } from '../api/isRecord';
import { recordsOf } from '../api/records';
import { InvalidInput } from '../operation/input';
import type { Field } from '../operation/operation';
import { lookUp } from './listSearch';

/** The chosen template's placeholders, each as a field to fill in. */
export async function getTemplateVariables(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const locator: unknown = this.getCurrentNodeParameter('templateId');
	const { mode, value } = isRecord(locator) ? locator : { mode: 'id', value: locator };
	if (!value) return { fields: [], emptyFieldsNotice: 'Choose a template to see its variables.' };

	const [template] = await lookUp(this, async (client) => {
		if (mode !== 'name')
			return recordsOf(await client.call({ endpoint: GET_TEMPLATE, parameters: { id: value } }));
		return recordsOf(await client.call({ endpoint: GET_TEMPLATES, parameters: { search: value } })).filter(
			({ name }) => name === value,
		);
	});
	const names = template ? placeholdersOf(template) : [];
	return {
		fields: names.map((name) => ({
			id: name,
			displayName: name,
			type: 'string',
			required: true,
			defaultMatch: false,
			display: true,
		})),
		emptyFieldsNotice: template ? 'This template has no variables.' : 'There is no template with this name.',
	};
}

/** The names that a template wants filled: its `variables`, or else the `{{…}}` in its `content`. */
function placeholdersOf({ variables, content }: Record<string, unknown>): string[] {
	if (Array.isArray(variables) && variables.length > 0) return variables.map(String);
	const found = String(content ?? '').matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g);
	return [...new Set(Array.from(found, ([, name]) => name ?? ''))];
}

/** What fills the placeholders of a template: one field for each of them. */
export const templateVariables: Field = {
	displayName: 'Template Variables',
	name: 'templateVariables',
	type: 'resourceMapper',
	default: { mappingMode: 'defineBelow', value: null },
	noDataExpression: true,
	description: 'The text for each placeholder of the template',
	typeOptions: {
		loadOptionsDependsOn: ['templateId.value'],
		resourceMapper: {
			resourceMapperMethod: 'getTemplateVariables',
			// With 'add', n8n itself insists on every field, even where Variables (JSON) is used instead.
			mode: 'map',
			valuesLabel: 'Template Variables',
			fieldWords: { singular: 'variable', plural: 'variables' },
			addAllFields: true,
			multiKeyMatch: false,
			supportAutoMap: false,
		},
	},
	api: ['variables'],
	toApi: (mapped: unknown) => {
		if (!isRecord(mapped)) return {};
		const isMapper = 'mappingMode' in mapped;
		const values = isMapper ? (isRecord(mapped.value) ? mapped.value : {}) : mapped;
		const wanted = isMapper && Array.isArray(mapped.schema) ? mapped.schema.filter(isWanted) : [];
		return { variables: { ...Object.fromEntries(wanted.map(({ id }) => [id, undefined])), ...values } };
	},
};

function isWanted(column: unknown): column is { id: string } {
	return isRecord(column) && typeof column.id === 'string' && column.removed !== true;
}

/**
 * Variables as the API takes them: an object of texts.
 *
 * @param displayName label of the field that they were entered in
 * @throws InvalidInput for a placeholder without a value
 */
export function variablesOf(values: unknown, displayName: string): { variables?: Record<string, string> } {
	const texts = Object.entries(isRecord(values) ? values : {}).map(([name, value]) => {
		const isText = ['string', 'number', 'boolean'].includes(typeof value) && String(value).trim() !== '';
		if (isText) return [name, String(value)] as const;
		throw new InvalidInput(
			`has no text for the placeholder '${name}'`,
			`Enter what to put in place of '${name}'.`,
			displayName,
		);
	});
	return texts.length > 0 ? { variables: Object.fromEntries(texts) } : {};
}
