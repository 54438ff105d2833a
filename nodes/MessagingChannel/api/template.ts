import type { IDataObject } from 'n8n-workflow';

import { flagOf, idOf, nonEmptyText, nonEmptyTexts } from './values';

/** A template of the account (API spec, "Resources and their fields"). */
export interface Template {
	/** Undefined if it is not understood. */
	id: string | undefined;
	name: string | undefined;
	content: string | undefined;
	/** Whether the service says that it is not in use. */
	isInactive: boolean;
	/** The names of its placeholders, as far as the service lists them. */
	variables: string[];
	/** The template as the service sent it. */
	record: IDataObject;
}

/** Parses a template. */
export function parseTemplate(record: IDataObject): Template {
	const { id, name, content, is_active, variables } = record;
	return {
		id: idOf(id),
		name: nonEmptyText(name),
		content: nonEmptyText(content),
		isInactive: flagOf(is_active) === false,
		variables: Array.isArray(variables) ? nonEmptyTexts(variables) : [],
		record,
	};
}
