import isEqual from 'lodash/isEqual';

import type { ApiRequest } from '../api/apiRequest';
import { collectionsOf } from '../operation/collections';
import { InvalidInput, shown, type Input } from '../operation/input';
import type { AllItems, Operation } from '../operation/operation';
import { isTask, type Failed, type Task } from './tasks';

/**
 * The tasks, with one in the place of all whose items are to share a request. It stands where the first of them stood;
 * the others are undefined.
 */
export function withSharedRequest(
	operation: Operation,
	tasks: Array<Task | Failed>,
): Array<Task | Failed | undefined> {
	const { allItems } = operation;
	if (!allItems) return tasks;
	const difference = differenceBetween(operation, allItems);
	const together: Task[] = [];
	const rest = tasks.map((task) => {
		if (!isTask(task) || !allItems.isWanted(task.input)) return task;
		const [first = task] = together;
		const error = task.account === first.account ? difference(first.input, task.input) : otherAccount();
		if (error) return { error };
		together.push(task);
		return undefined;
	});
	const [first] = together;
	if (!first) return rest;
	const request = joinedRequest(
		allItems,
		together.map((task) => task.request),
	);
	const pairedItem = together.flatMap((task) => task.pairedItem);
	// A later try that can read other items first must not make it again.
	return rest.with(first.itemIndex, { ...first, itemIndex: 0, request, pairedItem });
}

function otherAccount(): InvalidInput {
	return new InvalidInput(
		'is not of the same account as in the items before',
		'One request goes out from one account. Run the items of each account by themselves.',
		'Credential',
	);
}

/**
 * Compares two items that are to share one request.
 *
 * @returns what says which field of the other item is not the same, among those that have to be
 */
function differenceBetween(
	operation: Operation,
	{ list, mayDiffer, advice }: AllItems,
): (one: Input, other: Input) => InvalidInput | undefined {
	const fields = [...(operation.fields ?? []), ...collectionsOf(operation).flatMap(([, own]) => own)]
		.map(({ displayName, name, api }) => ({ displayName, key: api?.[0] ?? name }))
		.filter(({ key }) => key !== list && !mayDiffer.includes(key));
	return (one, other) => {
		const different = fields.find(({ key }) => !isEqual(valueIn(one, key), valueIn(other, key)));
		if (!different) return undefined;
		const value = shown(valueIn(other, different.key));
		const problem = `is not the same as in the items before: ${value}`;
		return new InvalidInput(problem, advice, different.displayName);
	};
}

function valueIn({ parameters, settings }: Input, key: string): unknown {
	return key in parameters ? parameters[key] : settings[key];
}

/** The first of the requests, with the lists of all. */
function joinedRequest({ list, distinct }: AllItems, requests: ApiRequest[]): ApiRequest {
	const all = requests.flatMap(({ parameters = {} }) => parameters[list] as string[]);
	const [first] = requests as [ApiRequest];
	return { ...first, parameters: { ...first.parameters, [list]: distinct(all) } };
}
