import type { INode, INodeParameters } from 'n8n-workflow';

import {
	fileNode,
	itemsNode,
	manualTrigger,
	messagingChannel,
	messagingChannelTrigger,
	workflow,
	type Connection,
	type WorkflowDefinition,
} from '../n8n/workflow';
import { operations } from '../operations';
import type { Case, OperationCases } from '../operations/case';
import { byId, byPhone } from '../operations/parameters';

/** Replaced by the one of the user, after the import. */
const CREDENTIAL = 'messaging-channel';

/** A node for one case of an operation, with the nodes before it that make its input. */
interface Branch extends Pick<OperationCases, 'seed' | 'calls' | 'queueHeld'> {
	name: string;
	nodes: INode[];
}

/** Two branches of an operation: with only what is required, and with every parameter. */
function branchesOf(cases: OperationCases): Branch[] {
	const { resource, operation, minimal, full, seed, calls, queueHeld } = cases;
	const prepare = { seed, calls, queueHeld };
	const branch = (suffix: string, { parameters, input = [] }: Case): Branch => {
		const name = `${resource}: ${operation}${suffix}`;
		const node = messagingChannel(name, { resource, operation, ...parameters }, CREDENTIAL);
		return { name, nodes: [...inputNodes(name, input), node], ...prepare };
	};
	return [branch('', minimal), ...(full ? [branch(', all fields', full)] : [])];
}

function inputNodes(name: string, input: NonNullable<Case['input']>): INode[] {
	if (input.length === 0) return [];
	const items = itemsNode(
		input.map(({ json, file }) => ({ ...json, ...file })),
		`${name}, input`,
	);
	const file = { fileName: '={{ $json.fileName }}', mimeType: '={{ $json.mimeType }}' };
	return input.some((item) => item.file) ? [...items, fileNode(file, `${name}, file`)] : items;
}

/** Every branch from one start, and what the service must hold before each. */
export function operationsWorkflow(): { workflow: WorkflowDefinition; branches: Branch[] } {
	const start = manualTrigger();
	const branches = operations.flatMap(branchesOf);
	const connections = branches.flatMap(({ nodes }): Connection[] =>
		nodes.map(({ name }, at) => ({ from: nodes[at - 1]?.name ?? start.name, to: name })),
	);
	const steps = [start, ...branches.flatMap(({ nodes }) => nodes)];
	return { workflow: workflow('Every operation', steps, connections), branches };
}

const send = (message: string, to: INodeParameters['to']) =>
	messagingChannel('Send', { resource: 'message', operation: 'send', to, message }, CREDENTIAL);

/** Answers a message, under every option of the trigger. */
export const triggerWorkflow = (): WorkflowDefinition =>
	workflow('Answer', [
		messagingChannelTrigger(
			{
				events: ['message.received', 'connection.disconnected'],
				options: {
					chatType: 'individual',
					chats: '+90 555 111 22 33',
					downloadMedia: true,
					ifWebhookExists: 'replace',
					ignoreOwnMessages: false,
					messageTypes: 'chat, image',
					statuses: ['read'],
					timeoutSeconds: 20,
				},
			},
			CREDENTIAL,
		),
		send('=You wrote: {{ $json.message.body }}', byId('={{ $json.chat.id }}')),
	]);

const ASKED = byPhone('+90 555 123 45 67');

const ask = (name: string, parameters: INodeParameters): INode => ({
	...messagingChannel(
		name,
		{ resource: 'message', operation: 'sendAndWait', to: ASKED, message: `${name}?`, ...parameters },
		CREDENTIAL,
	),
	webhookId: name.toLowerCase(),
});

/** Asks in each of the three ways, and sends what was answered. */
export const questionsWorkflow = (): WorkflowDefinition =>
	workflow('Ask', [
		manualTrigger(),
		ask('Approval', {
			approvalOptions: {
				values: { approvalType: 'double', approveLabel: 'Ship it', disapproveLabel: 'Keep it' },
			},
			options: { appendAttribution: false },
		}),
		ask('Text', {
			responseType: 'freeText',
			options: {
				messageButtonLabel: 'Write it here',
				responseFormTitle: 'Your wish',
				responseFormDescription: 'In your own words',
				responseFormButtonLabel: 'Done',
				limitWaitTime: {
					values: { limitType: 'afterTimeInterval', resumeAmount: 2, resumeUnit: 'days' },
				},
			},
		}),
		ask('Form', {
			responseType: 'customForm',
			formFields: {
				values: [
					{ fieldLabel: 'Name', fieldType: 'text', requiredField: true, placeholder: 'e.g. Ada' },
					{ fieldLabel: 'Amount', fieldType: 'number' },
				],
			},
		}),
		send(
			"={{ JSON.stringify(['Approval', 'Text', 'Form'].map((name) => ({ ...$(name).item.json.data, respondedAt: undefined }))) }}",
			ASKED,
		),
	]);
