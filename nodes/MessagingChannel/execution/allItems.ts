import groupBy from 'lodash/groupBy';
import isEqual from 'lodash/isEqual';
import uniqBy from 'lodash/uniqBy';

import type { ApiRequest } from '../api/apiRequest';
import { collectionsOf } from '../operation/collections';
import { InvalidInput, shown, type Input } from '../operation/input';
import type { AllItems, Operation } from '../operation/operation';
import type { Entry, Task } from './task';

/**
 * Merges the tasks whose items share one request. The merged task takes the place of the first one.
 *
 * @param isOnlyFirst whether n8n gives the node only the first item
 */
export function withSharedRequest(
	operation: Operation,
	allItems: AllItems,
	entries: readonly Entry[],
	isOnlyFirst: boolean,
): readonly Entry[] {
	const findDifference = createComparison(operation, allItems);
	const sharing: Task[] = [];
	const remaining = entries.map((entry): Entry => {
		const { task } = entry;
		if (!task || !allItems.isWanted(task.input)) return entry;
		if (isOnlyFirst) return { result: { error: onlyFirstError() } };
		const [first = task] = sharing;
		const error =
			task.account === first.account ? findDifference(first.input, task.input) : otherAccountError();
		if (error) return { result: { error } };
		sharing.push(task);
		return {};
	});
	const [first] = sharing;
	if (!first) return remaining;
	const request = joinedRequest(
		allItems,
		sharing.map((task) => task.request),
	);
	const pairedItem = sharing.flatMap((task) => task.pairedItem);
	const recipients = sharing.flatMap(({ request: own, pairedItem: items }) =>
		listEntriesIn(allItems, own).map((recipient) => ({ key: allItems.keyOf(recipient), items })),
	);
	const recipientsByKey = groupBy(recipients, 'key');
	const itemsOf = (recipient: string) =>
		(recipientsByKey[allItems.keyOf(recipient)] ?? []).flatMap(({ items }) => items);
	// The send log finds the request by its item index, so the index must not depend on which items can be read.
	return remaining.with(first.itemIndex, { task: { ...first, itemIndex: 0, request, pairedItem, itemsOf } });
}

/** Merges tasks that are alike, of an operation that is done once for all of their items: a report, or what must not be repeated. */
export function doneOnce(entries: readonly Entry[]): readonly Entry[] {
	const tasks = entries.flatMap(({ task }) => task ?? []);
	const accounts = [...new Set(tasks.map(({ account }) => account))];
	const alike = groupBy(
		tasks,
		({ account, input }) => `${accounts.indexOf(account)} ${JSON.stringify(input.settings)}`,
	);
	const byFirst = new Map(Object.values(alike).map((sharing) => [sharing[0], sharing]));
	return entries.map((entry): Entry => {
		const { task } = entry;
		const sharing = byFirst.get(task);
		if (!task || sharing?.length === 1) return entry;
		return sharing ? { task: { ...task, pairedItem: sharing.flatMap((each) => each.pairedItem) } } : {};
	});
}

function onlyFirstError(): InvalidInput {
	return new InvalidInput(
		"has only the first item, because 'Execute Once' is on",
		"Turn off 'Execute Once' in the 'Settings' of this node. All items share one request in any case.",
		'Input',
	);
}

function otherAccountError(): InvalidInput {
	return new InvalidInput(
		'is for a different account than in the previous items',
		'A request can use only one account. Run the items of each account separately.',
		'Credential',
	);
}

const REQUEST_ID_ADVICE = 'All items share one request, which has one ID. Enter the same ID for every item.';

/**
 * Creates the comparison of two items that share one request.
 *
 * @returns a function that returns an error for the first field that differs but must not
 */
function createComparison(
	operation: Operation,
	{ list, mayDiffer, description }: AllItems,
): (one: Input, other: Input) => InvalidInput | undefined {
	const fields = [...(operation.fields ?? []), ...collectionsOf(operation).flatMap(([, own]) => own)]
		.map(({ displayName, name, api }) => ({ displayName, key: api?.[0] ?? name }))
		.filter(({ key }) => key !== list && !mayDiffer.includes(key));
	return (one, other) => {
		const different = fields.find(({ key }) => !isEqual(valueIn(one, key), valueIn(other, key)));
		if (!different) return undefined;
		const value = shown(valueIn(other, different.key));
		const problem = `differs from the previous items: ${value}`;
		return new InvalidInput(
			problem,
			different.key === 'requestId' ? REQUEST_ID_ADVICE : description,
			different.displayName,
		);
	};
}

function valueIn({ parameters, settings }: Input, key: string): unknown {
	return key in parameters ? parameters[key] : settings[key];
}

function listEntriesIn({ list }: AllItems, { parameters = {} }: ApiRequest): string[] {
	return parameters[list] as string[];
}

/** The first request, with the lists of all requests joined. */
function joinedRequest(allItems: AllItems, requests: ApiRequest[]): ApiRequest {
	const values = requests.flatMap((request) => listEntriesIn(allItems, request));
	const [first] = requests as [ApiRequest];
	return { ...first, parameters: { ...first.parameters, [allItems.list]: uniqBy(values, allItems.keyOf) } };
}
