/**
 * Follows one text without options through the action node, from `execute` to its item, and counts the path: `npx tsx scripts/trace.ts`. Every function
 * of the package notes when it begins. A return is a step to a file that the path had left before, so that a reader has to remember it.
 *
 * --event follows one event through the trigger instead, from `webhook` to the response
 * --all   prints the path itself, in order
 */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { compileFunction } from 'node:vm';

import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import ts from 'typescript';

import { repository } from '../test/support/n8n/paths';

const ROOT = join(repository, 'nodes', 'MessagingChannel');

/** A function that begins. */
interface Step {
	file: string;
	name: string;
}

type NoteStep = (name: string) => void;

/** Has every function of a module call `noteStep` with its name first. */
const noting: ts.TransformerFactory<ts.SourceFile> = (context) => (source) => {
	const { factory } = context;
	const nameOf = (node: ts.Node): string => {
		const named = ts.isVariableDeclaration(node.parent) ? node.parent : (node as ts.FunctionDeclaration);
		if (named.name && ts.isIdentifier(named.name)) return named.name.text;
		return `line ${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
	};
	const noted = (body: ts.Node, name: string): ts.Block => {
		const call = factory.createCallExpression(factory.createIdentifier('noteStep'), undefined, [
			factory.createStringLiteral(name),
		]);
		const statements = ts.isBlock(body)
			? body.statements
			: [factory.createReturnStatement(body as ts.Expression)];
		return factory.createBlock([factory.createExpressionStatement(call), ...statements]);
	};
	const visit = (node: ts.Node): ts.Node => {
		const isFunction = ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
		const name = isFunction ? nameOf(node) : '';
		const visited = ts.visitEachChild(node, visit, context);
		if (!isFunction) return visited;
		const { body } = visited as ts.FunctionLikeDeclaration & { body: ts.Node };
		return ts.visitEachChild(visited, (child) => (child === body ? noted(body, name) : child), context);
	};
	return ts.visitEachChild(source, visit, context);
};

/** Loads a module of the package and all that it imports, with functions that note their begin on the path. */
function createLoader(path: Step[]): (file: string) => Record<string, unknown> {
	const loaded = new Map<string, Record<string, unknown>>();
	const compilerOptions = {
		module: ts.ModuleKind.CommonJS,
		target: ts.ScriptTarget.ES2022,
		esModuleInterop: true,
	};
	const load = (file: string): Record<string, unknown> => {
		const known = loaded.get(file);
		if (known) return known;
		const exports = {};
		loaded.set(file, exports);
		const transformers = { before: [noting] };
		const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), { compilerOptions, transformers });
		const own = createRequire(file);
		const require = (name: string): unknown => (name.startsWith('.') ? load(own.resolve(name)) : own(name));
		const noteStep: NoteStep = (name) => void path.push({ file: relative(ROOT, file), name });
		const run = compileFunction(outputText, ['exports', 'require', 'noteStep'], { filename: file }) as (
			...globals: [object, typeof require, NoteStep]
		) => void;
		run(exports, require, noteStep);
		return exports;
	};
	return load;
}

const PARAMETERS: Record<string, unknown> = {
	resource: 'message',
	operation: 'send',
	to: { mode: 'phone', value: '+905551234567' },
	message: 'Hello',
};

/** What n8n gives the node for one text, with a service that takes it. */
function contextOfText(): IExecuteFunctions {
	const response = { success: true, data: { queued: true, job_id: '1', to: '905551234567@c.us' } };
	const context = {
		getNode: () => ({ id: 'node', name: 'Send', type: 'n8n-nodes-messaging-channel.messagingChannel' }),
		getWorkflow: () => ({ id: 'workflow' }),
		getInputData: () => [{ json: {} }],
		getNodeParameter: (name: string, _: number, fallback: unknown) => PARAMETERS[name] ?? fallback,
		continueOnFail: () => false,
		getCredentials: async () =>
			await Promise.resolve({ baseUrl: 'https://service.example.com', apiKey: 'key' }),
		getContext: () => ({}),
		getMode: () => 'manual',
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getTimezone: () => 'UTC',
		getExecutionCancelSignal: () => undefined,
		addExecutionHints: () => {},
		helpers: {
			httpRequestWithAuthentication: async () =>
				await Promise.resolve({ statusCode: 202, headers: {}, body: response }),
		},
	};
	return context as unknown as IExecuteFunctions;
}

/** What n8n gives the trigger for one event, which only one workflow of the account gets. */
function contextOfEvent(number: number): IWebhookFunctions {
	const event = JSON.stringify({
		event: 'message.received',
		account_id: 'account',
		chat: { id: '905551234567@c.us', type: 'individual' },
		message: { id: `message-${number}`, body: 'Hello', type: 'chat', from_me: false },
	});
	const headers = {
		'content-type': 'application/json',
		'x-service-signature': createHmac('sha256', 'secret').update(event).digest('hex'),
		'x-service-timestamp': String(Math.floor(Date.now() / 1000)),
		'x-service-event': 'message.received',
		'x-service-event-id': `event-${number}`,
		'x-service-account-id': 'account',
	};
	const credential = { baseUrl: 'https://service.example.com', apiKey: 'key', signingSecret: 'secret' };
	const response = { statusCode: 200, writableEnded: false, setHeader: () => {}, end: () => {} };
	const parameters: Record<string, unknown> = { events: ['message.received'] };
	const context = {
		getNode: () => ({ id: 'node', name: 'Trigger', parameters }),
		getWorkflow: () => ({ id: 'workflow' }),
		getMode: () => 'webhook',
		getHeaderData: () => headers,
		getQueryData: () => ({}),
		getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
		getNodeWebhookUrl: () => 'https://n8n.example.com/webhook/node/webhook',
		getWorkflowStaticData: () => ({ accountId: 'account' }),
		getWorkflowSettings: () => ({}),
		getCredentials: async () => await Promise.resolve(credential),
		getRequestObject: () => ({
			headers,
			rawBody: Buffer.from(event),
			readRawBody: async () => await Promise.resolve(),
		}),
		getResponseObject: () => response,
		logger: console,
		helpers: {},
	};
	return context as unknown as IWebhookFunctions;
}

/** The item of a text, and how it came about. */
async function followText(path: Step[]): Promise<unknown> {
	const exported = createLoader(path)(join(ROOT, 'MessagingChannel.node.ts'));
	// n8n loads the node, with its panel, when it starts.
	const { execute } = new (exported.MessagingChannel as new () => INodeType)();
	path.length = 0;
	const output = (await execute?.call(contextOfText())) as INodeExecutionData[][];
	return output[0]?.[0]?.json;
}

/** The item of an event, and how it came about until n8n responds. */
async function followEvent(path: Step[]): Promise<unknown> {
	const exported = createLoader(path)(join(ROOT, 'MessagingChannelTrigger.node.ts'));
	const { webhook } = (exported.MessagingChannelTrigger as new () => INodeType).prototype as INodeType;
	const receive = async (number: number) => {
		path.length = 0;
		const context = contextOfEvent(number);
		const output = (await webhook?.call(context)) as IWebhookResponseData;
		context.getResponseObject().end();
		return output;
	};
	// The first event also creates what the process keeps of a trigger.
	await receive(1);
	const output = await receive(2);
	return output.workflowData?.[0]?.[0]?.json;
}

async function main(): Promise<void> {
	const { values: given } = parseArgs({ options: { all: { type: 'boolean' }, event: { type: 'boolean' } } });
	const path: Step[] = [];
	const item = await (given.event ? followEvent(path) : followText(path));
	console.log(`The item: ${JSON.stringify(item)}\n`);

	const returnsTo = new Map<string, number>();
	let left = '';
	for (const { file, name } of path) {
		const returns = returnsTo.get(file);
		const isReturn = file !== left && returns !== undefined;
		returnsTo.set(file, (returns ?? 0) + Number(isReturn));
		if (given.all) console.log(`${isReturn ? '<' : ' '} ${file}: ${name}`);
		left = file;
	}
	for (const [file, returns] of returnsTo) console.log(`${String(returns).padStart(4)} returns to ${file}`);
	const returns = [...returnsTo.values()].reduce((sum, each) => sum + each, 0);
	const functions = new Set(path.map(({ file, name }) => `${file} ${name}`)).size;
	console.log(`\n${returnsTo.size} files, ${functions} functions, ${returns} returns to a file already left`);
}

void main();
