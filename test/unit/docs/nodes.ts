import omit from 'lodash/omit';
import type { INodeProperties } from 'n8n-workflow';

import { isRecord } from '../../../nodes/MessagingChannel/api/values';
import { MessagingChannelMemory } from '../../../nodes/MessagingChannel/MessagingChannelMemory.node';
import { MessagingChannelTrigger } from '../../../nodes/MessagingChannel/MessagingChannelTrigger.node';
import { fieldsIn, shownFor } from '../shownFor';

const OWN = 'n8n-nodes-messaging-channel.';
const ACTION = 'n8n-nodes-messaging-channel.messagingChannel';
const TOOL = 'n8n-nodes-messaging-channel.messagingChannelTool';
/** What n8n adds to a node that is a tool. */
const OF_TOOLS = ['descriptionType', 'toolDescription'];
const MEMORY = 'n8n-nodes-messaging-channel.messagingChannelMemory';
const TRIGGER = 'n8n-nodes-messaging-channel.messagingChannelTrigger';

/**
 * What is wrong with the nodes of this package in a JSON value: what their panel does not have. A value with a `resource` and
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
	if (type === TOOL) return problemsOfAction(omit(parameters, OF_TOOLS));
	if (type === MEMORY) return unknownIn(parameters, new MessagingChannelMemory().description.properties);
	return String(type).startsWith(OWN) ? [`there is no node of the type '${String(type)}'`] : [];
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
		return problemsOfValue(value, property);
	});
}

/** What is wrong with a value that is no expression: a choice that does not exist, or a text for a locator. */
function problemsOfValue(value: unknown, property: INodeProperties): string[] {
	const { name, type, options = [], modes = [] } = property;
	if (typeof value === 'string' && value.startsWith('=')) return [];
	if (type === 'collection' && isRecord(value)) return unknownIn(value, fieldsIn(property));
	if (type === 'resourceLocator') {
		const isRight = isRecord(value) && value.__rl === true && modes.some((mode) => mode.name === value.mode);
		return isRight ? [] : [`'${name}' has no such locator`];
	}
	const choices = options.flatMap((one) => ('value' in one ? [one.value] : []));
	const chosen = (type === 'options' ? [value] : type === 'multiOptions' ? value : []) as string[];
	const wrong = choices.length > 0 ? chosen.filter((one) => !choices.includes(one)) : [];
	return wrong.map((one) => `'${name}' has no choice '${one}'`);
}
