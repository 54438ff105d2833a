import isEqual from 'lodash/isEqual';

import type { ApiRequest } from '../api/apiRequest';
import { collectionsOf } from '../operation/collections';
import { InvalidInput, shown, type Input } from '../operation/input';
import type { AllItems, Operation } from '../operation/operation';
import { InvalidField } from '../operation/readInput';

/**
 * Compares two items that are to share one request.
 *
 * @returns what says which field of the other item is not the same, among those that have to be
 */
export function differenceBetween(
	operation: Operation,
	{ list, mayDiffer, advice }: AllItems,
): (one: Input, other: Input) => InvalidField | undefined {
	const fields = [...(operation.fields ?? []), ...collectionsOf(operation).flatMap(([, own]) => own)]
		.map(({ displayName, name, api }) => ({ displayName, key: api?.[0] ?? name }))
		.filter(({ key }) => key !== list && !mayDiffer.includes(key));
	return (one, other) => {
		const different = fields.find(({ key }) => !isEqual(valueIn(one, key), valueIn(other, key)));
		if (!different) return undefined;
		const value = shown(valueIn(other, different.key));
		const problem = new InvalidInput(`differs from the previous items: ${value}`, advice);
		return new InvalidField(problem, different.displayName);
	};
}

function valueIn({ parameters, settings }: Input, key: string): unknown {
	return key in parameters ? parameters[key] : settings[key];
}

/** The first of the requests, with the lists of all. */
export function joinedRequest({ list, distinct }: AllItems, requests: ApiRequest[]): ApiRequest {
	const all = requests.flatMap(({ parameters = {} }) => parameters[list] as string[]);
	const [first] = requests as [ApiRequest];
	return { ...first, parameters: { ...first.parameters, [list]: distinct(all) } };
}
