import type { INodeParameterResourceLocator, ResourceMapperValue } from 'n8n-workflow';

const locator =
	(mode: string) =>
	(value: string): INodeParameterResourceLocator => ({ __rl: true, mode, value });

/** A resource locator whose value was chosen from its list. */
export const fromList = (value: string, cachedResultName = value): INodeParameterResourceLocator => ({
	...locator('list')(value),
	cachedResultName,
});

/** A resource locator whose value was typed. */
export const byId = locator('id');
export const byPhone = locator('phone');
export const byName = locator('name');

/** A template's placeholders as the editor saves them. */
export const variables = (value: Record<string, string | null>): ResourceMapperValue => ({
	mappingMode: 'defineBelow',
	value,
	matchingColumns: [],
	schema: Object.keys(value).map((id) => ({
		id,
		displayName: id,
		required: true,
		defaultMatch: false,
		display: true,
		type: 'string',
		canBeUsedToMatch: true,
		removed: false,
	})),
	attemptToConvertTypes: false,
	convertFieldsToString: false,
});
