import type { INodeProperties } from 'n8n-workflow';

import { isRecord } from '../../../nodes/MessagingChannel/api/values';
import { MessagingChannelMemory } from '../../../nodes/MessagingChannel/MessagingChannelMemory.node';
import { MessagingChannelTrigger } from '../../../nodes/MessagingChannel/MessagingChannelTrigger.node';
import { fieldsIn, shownFor } from '../shownFor';

const ACTION = 'n8n-nodes-messaging-channel.messagingChannel';
const MEMORY = 'n8n-nodes-messaging-channel.messagingChannelMemory';
const TRIGGER = 'n8n-nodes-messaging-channel.messagingChannelTrigger';

/**
 * What is wrong with the nodes in a JSON value: parameters that their panel does not have. A value with a `resource` and
 * an `operation` is taken for the parameters of the action node; one without nodes has nothing wrong.
 */
export function problemsOfNodes(value: unknown): string[] {
	if (!isRecord(value)) return [];
	if (Array.isArray(value.nodes)) return value.nodes.flatMap(problemsOfNode);
	return 'resource' in value && 'operation' in value ? problemsOfAction(value) : [];
}

function problemsOfNode(node: unknown): string[] {
	const { type, parameters } = isRecord(node) ? node : {};
	if (!isRecord(parameters)) return ['a node has no parameters'];
	if (type === ACTION) return problemsOfAction(parameters);
	if (type === TRIGGER) return unknownIn(parameters, new MessagingChannelTrigger().description.properties);
	if (type === MEMORY) return unknownIn(parameters, new MessagingChannelMemory().description.properties);
	return [`a node is of the type '${String(type)}', whose parameters nothing checks`];
}

function problemsOfAction({ resource, operation, ...parameters }: Record<string, unknown>): string[] {
	const shown = shownFor(String(resource), String(operation));
	if (shown.length === 0) return [`there is no operation '${String(resource)}:${String(operation)}'`];
	return unknownIn(parameters, shown);
}

function unknownIn(parameters: Record<string, unknown>, properties: INodeProperties[]): string[] {
	return Object.entries(parameters).flatMap(([name, value]) => {
		const property = properties.find((one) => one.name === name);
		if (!property) return [`there is no parameter '${name}'`];
		return property.type === 'collection' && isRecord(value) ? unknownIn(value, fieldsIn(property)) : [];
	});
}
