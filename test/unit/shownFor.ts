import type { INodeProperties } from 'n8n-workflow';

import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';

/** Everything on the panel of the action node. */
export const { properties } = new MessagingChannel().description;

/** What the panel shows for one operation, notices aside. */
export function shownFor(resource: string, operation: string): INodeProperties[] {
	return properties.filter(({ type, displayOptions }) => {
		const { resource: resources, operation: operations } = displayOptions?.show ?? {};
		return type !== 'notice' && resources?.includes(resource) && operations?.includes(operation);
	});
}

/** The fields in a collection. */
export const fieldsIn = ({ options = [] }: INodeProperties): INodeProperties[] =>
	options.filter((option): option is INodeProperties => 'displayName' in option && 'name' in option);
