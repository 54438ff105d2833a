import type { INodeListSearchItems } from 'n8n-workflow';

import { GET_TEMPLATES } from '../api/endpoints';
import { recordsOf } from '../api/records';
import type { Locator } from '../operation/input';
import type { Field } from '../operation/operation';
import { lookUp, type ListSearch } from './listSearch';
import { locator } from './locator';
import { previewOf } from './shownNames';
import { validId } from './recordId';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Lists the active templates, then the inactive ones. */
export const searchTemplates: ListSearch = async function (filter) {
	return await lookUp(this, async (client) => {
		const templates = recordsOf(
			await client.call({ endpoint: GET_TEMPLATES, parameters: { search: filter || undefined } }),
		);
		const isInactive = (template: (typeof templates)[number]): boolean => template.is_active === false;
		const results: INodeListSearchItems[] = templates
			.sort((one, other) => Number(isInactive(one)) - Number(isInactive(other)))
			.map((template) => {
				const { id, name, content } = template;
				const label = isInactive(template) ? `${String(name)} (inactive)` : String(name);
				return {
					name: typeof content === 'string' ? `${label}: ${previewOf(content)}` : label,
					value: String(id),
				};
			});
		return { results };
	});
};

const byTemplateId = {
	displayName: 'ID',
	name: 'id',
	placeholder: 'e.g. 3f2b8c1e-5d4a-4b6f-9a7e-1c2d3e4f5a6b',
};
const byName = { displayName: 'Name', name: 'name', placeholder: 'e.g. order_shipped' };

/** The template that an operation reads or changes. */
export const templateId: Field = {
	...locator(
		{
			displayName: 'Template',
			name: 'templateId',
			description: 'The template that the operation applies to',
		},
		'searchTemplates',
		[byTemplateId],
	),
	api: ['id'],
	toApi: ({ value }: Locator) => ({ id: validId(value) }),
};

/** The template to send. The API also accepts its name. */
export const templateToSend: Field = {
	...locator(
		{ displayName: 'Template', name: 'templateId', description: 'The template to send' },
		'searchTemplates',
		[byTemplateId, byName],
	),
	api: ['templateId', 'templateName'],
	toApi: ({ mode, value }: Locator) =>
		mode === 'name' || (mode === '' && !UUID.test(value)) ? { templateName: value } : { templateId: value },
};
