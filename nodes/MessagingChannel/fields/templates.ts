import sortBy from 'lodash/sortBy';

import { GET_TEMPLATES } from '../api/endpoints';
import { listRecords } from '../api/pagination';
import { kindOf } from '../api/values';
import { parseTemplate, type Template } from '../api/template';
import { understood } from '../api/unreadable';
import type { Locator } from '../operation/input';
import type { Field } from '../operation/operation';
import { listing, type ListSearch } from './listSearch';
import { locator } from './locator';
import { previewOf } from './shownNames';
import { validId } from './recordId';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Lists the active templates, then the inactive ones. */
export const searchTemplates: ListSearch = listing(async (client, filter) => {
	const parameters = { search: filter || undefined };
	const listed = await listRecords(client, { endpoint: GET_TEMPLATES, parameters }, 'none', Infinity);
	const results = understood(
		sortBy(listed.map(parseTemplate), 'isInactive'),
		(template) =>
			template.id === undefined ? undefined : { name: shownTemplate(template), value: template.id },
		({ record }) => ['template.id', kindOf(record.id)],
	);
	return { results };
});

function shownTemplate({ id = '', name = id, content, isInactive }: Template): string {
	const label = isInactive ? `${name} (inactive)` : name;
	return content === undefined ? label : `${label}: ${previewOf(content)}`;
}

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
