import get from 'lodash/get';
import type { ITriggerFunctions } from 'n8n-workflow';

import { publishedTriggerOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { triggerOf } from '../activation/triggerOf';

test('a published trigger goes on with what its expressions gave when n8n started it', () => {
	const parameters = {
		listen: 'poll',
		pollInterval: '={{ 5 * 6 }}',
		options: { chatType: 'group', chats: '={{ $vars.chats }}', downloadMedia: '={{ $json.isWanted }}' },
	};
	const given: Record<string, unknown> = { pollInterval: 30, 'options.chats': undefined };
	let isStarting = true;
	const { context } = triggerOf({ baseUrl: 'https://service.example.com', parameters });
	/** As in n8n 2.x: an expression needs the engine, and this one the item. */
	const getNodeParameter = (name: string, fallback: unknown): unknown => {
		const value: unknown = get(parameters, name, fallback);
		if (typeof value !== 'string' || !value.startsWith('=')) return value;
		if (!isStarting) throw new Error('No bridge acquired for this context');
		if (!(name in given)) throw new Error('There is no item');
		return given[name];
	};
	const node = { ...context, getMode: () => 'trigger', getNodeParameter } as unknown as ITriggerFunctions;
	const trigger = publishedTriggerOf(node);
	isStarting = false;

	const read = (name: string) => trigger.parameters.getNodeParameter(name, 'none');
	expect(['pollInterval', 'options.chats', 'options.chatType', 'options.statuses'].map(read)).toEqual([
		30,
		undefined,
		'group',
		'none',
	]);
	expect(() => read('options.downloadMedia')).toThrow(
		"'Download Media' has an expression that fails: There is no item. Correct it.",
	);
});
