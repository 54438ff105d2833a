import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { MessagingChannelApi } from '../../credentials/MessagingChannelApi.credentials';
import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';
import { MessagingChannelMemory } from '../../nodes/MessagingChannel/MessagingChannelMemory.node';
import { MessagingChannelTrigger } from '../../nodes/MessagingChannel/MessagingChannelTrigger.node';

type Entry = NonNullable<INodeProperties['options']>[number];

/** Something on a panel, and where it stands, e.g. `Messaging Channel > Options > Max Attempts`. */
export interface Placed<T> {
	where: string;
	what: T;
}

const sources = [
	new MessagingChannel().description,
	new MessagingChannelTrigger().description,
	new MessagingChannelMemory().description,
	new MessagingChannelApi(),
];

/** Every field of the nodes and the credential, those in collections included. */
export const fields: Array<Placed<INodeProperties>> = unique(
	sources.flatMap(({ displayName, properties }) =>
		properties.flatMap((property) => withInnerFields(placeOf(displayName, property), property)),
	),
);

/** Every choice of every field, the operations included. */
export const choices: Array<Placed<INodePropertyOptions>> = unique(
	fields.flatMap(({ where, what: { options = [] } }) =>
		options.filter(isChoice).map((what) => ({ where: `${where} > ${what.name}`, what })),
	),
);

function placeOf(displayName: string, { displayOptions }: INodeProperties): string {
	const { resource = [], operation = [] } = displayOptions?.show ?? {};
	return [displayName, ...resource, ...operation].join(' > ');
}

function withInnerFields(place: string, what: INodeProperties): Array<Placed<INodeProperties>> {
	const where = `${place} > ${what.displayName}`;
	const inner = (what.options ?? []).flatMap((entry) =>
		(isGroup(entry) ? entry.values : [entry]).filter(isField),
	);
	return [{ where, what }, ...inner.flatMap((field) => withInnerFields(where, field))];
}

function isField(entry: Entry): entry is INodeProperties {
	return 'displayName' in entry && 'type' in entry;
}

function isGroup(entry: Entry): entry is INodePropertyCollection {
	return 'values' in entry;
}

function isChoice(entry: Entry): entry is INodePropertyOptions {
	return 'value' in entry;
}

/** Many operations share a field; its words are checked once. */
function unique<T>(placed: Array<Placed<T>>): Array<Placed<T>> {
	return [...new Map(placed.map((one) => [JSON.stringify(one.what), one])).values()];
}
