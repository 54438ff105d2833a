import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { GET_TEMPLATE, GET_TEMPLATES } from '../api/endpoints';
import { isExact, isRecord, recordOrEmpty } from '../api/values';
import { listRecords } from '../api/pagination';
import { parseTemplate, type Template } from '../api/template';
import { inexactNumber, InvalidInput } from '../operation/input';
import type { Field } from '../operation/operation';
import { lookUp } from './listSearch';

/** Gets the placeholders of the selected template, as the fields of the resource mapper. */
export async function getTemplateVariables(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const locator: unknown = this.getCurrentNodeParameter('templateId');
	const { mode, value }: Record<string, unknown> = isRecord(locator) ? locator : { value: locator };
	if (!value) return { fields: [], emptyFieldsNotice: 'Choose a template to see its variables.' };

	const [template] = await lookUp(this, async (client) => {
		const request =
			mode === 'name'
				? { endpoint: GET_TEMPLATES, parameters: { search: value } }
				: { endpoint: GET_TEMPLATE, parameters: { id: value } };
		const found = (await listRecords(client, request, 'none', Infinity)).map(parseTemplate);
		return mode === 'name' ? found.filter(({ name }) => name === value) : found;
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
		emptyFieldsNotice: template ? 'This template has no variables.' : 'No template with this name was found.',
	};
}

/** The names of a template's placeholders: its `variables`, which an update of the text can leave behind, and each `{{…}}`. */
function placeholdersOf({ variables, content = '' }: Template): string[] {
	const found = content.matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g);
	return [...new Set([...variables, ...Array.from(found, ([, name]) => String(name))])];
}

/** The texts for the placeholders of the template, with one field for each. */
export const templateVariables: Field = {
	displayName: 'Template Variables',
	name: 'templateVariables',
	type: 'resourceMapper',
	default: { mappingMode: 'defineBelow', value: null },
	noDataExpression: true,
	description: 'Value for each placeholder of the template',
	typeOptions: {
		loadOptionsDependsOn: ['templateId.value'],
		resourceMapper: {
			resourceMapperMethod: 'getTemplateVariables',
			// With 'add', n8n requires every field, even when Variables (JSON) is used instead.
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
		const isMapper = isRecord(mapped) && 'mappingMode' in mapped;
		const values = isMapper ? (mapped.value ?? {}) : mapped;
		// Without values, the template would be sent with its placeholders.
		if (!isRecord(values)) {
			throw new InvalidInput('is not an object', 'Enter a value for each placeholder of the template.');
		}
		const columns = isMapper && Array.isArray(mapped.schema) ? mapped.schema.filter(isActiveColumn) : [];
		return { variables: { ...Object.fromEntries(columns.map(({ id }) => [id, undefined])), ...values } };
	},
};

/** The same as an object, for any template. */
export const variablesJson: Field = {
	displayName: 'Variables (JSON)',
	name: 'variables',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. {"name": "Nathan"}',
	// Without values, the template would be sent with its placeholders.
	mustResolve: true,
	toApi: (variables: unknown) => variablesOf(variables, 'Variables (JSON)'),
};

/** Whether the user kept the column in the mapper. */
function isActiveColumn(column: unknown): column is { id: string } {
	return isRecord(column) && typeof column.id === 'string' && column.removed !== true;
}

/**
 * Converts variables to what the API accepts: an object of texts (API spec, "Templates").
 *
 * @param displayName label of the field with the variables
 * @throws InvalidInput when a placeholder has no text, or a number that is not the one that was written
 */
export function variablesOf(values: unknown, displayName: string): { variables?: Record<string, string> } {
	const texts = Object.entries(recordOrEmpty(values)).map(([name, value]) => {
		if (typeof value === 'number' && !isExact(value))
			throw inexactNumber(value, 'has', ` for the placeholder '${name}'`, displayName);
		const isText = ['string', 'number', 'boolean'].includes(typeof value) && String(value).trim() !== '';
		if (isText) return [name, String(value)] as const;
		if (typeof value === 'object' && value !== null) {
			throw new InvalidInput(
				`has a list or an object for the placeholder '${name}'`,
				`Enter a text for '${name}'.`,
				displayName,
			);
		}
		throw new InvalidInput(
			`has no value for the placeholder '${name}'`,
			`Enter a value for '${name}'.`,
			displayName,
		);
	});
	return texts.length > 0 ? { variables: Object.fromEntries(texts) } : {};
}
