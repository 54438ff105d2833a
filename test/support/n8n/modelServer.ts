import express, { type Request, type Response } from 'express';
import type { IDataObject, INode } from 'n8n-workflow';
import { createServer } from 'node:http';

import { close, listen } from '../localServer';
import { readForm } from '../service/core/multipart';
import type { N8nApi } from './api';
import { node } from './workflow';

/** What a transcription takes. It judges by the name, as OpenAI's does. */
const AUDIO_NAME = /\.(flac|m4a|mp3|mp4|mpeg|mpga|oga|ogg|wav|webm)$/i;

/** A tool as the model is told of it. */
export interface OfferedTool {
	name: string;
	description: string;
	/** JSON Schema of its arguments. */
	parameters: IDataObject;
}

/** One message of the conversation so far. */
export interface ChatMessage {
	role: 'system' | 'user' | 'assistant' | 'tool';
	content: string | null;
}

/** What the model is asked. */
export interface Turn {
	messages: ChatMessage[];
	tools: OfferedTool[];
}

/** What the model says: a text, which ends the conversation, or the tool that it wants to use. */
export type Reply = { text: string } | { tool: string; arguments: object };

/** A chat model that says what a test tells it to. */
export interface ModelServer {
	/** What to enter as Base URL of an OpenAI credential. */
	readonly baseUrl: string;
	/** Everything it was asked since the latest `play`. */
	readonly turns: Turn[];
	/** Sets who answers from now on. */
	play(script: (turn: Turn) => Reply | Promise<Reply>): void;
	/** Sets what it hears in a file from now on. */
	hear(transcribe: (file: Buffer) => string): void;
	stop(): Promise<void>;
}

interface Completion {
	messages: Array<{ role: ChatMessage['role']; content: string | null | Array<{ text: string }> }>;
	tools?: Array<{ function: OfferedTool }>;
	/** Whether the answer has to come as events. */
	stream?: boolean;
}

/** Starts a server that speaks OpenAI's chat completions. */
export async function startModelServer(): Promise<ModelServer> {
	let script: (turn: Turn) => Reply | Promise<Reply> = () => ({ text: 'Nobody told me what to say.' });
	let transcribe: (file: Buffer) => string = () => '';
	const turns: Turn[] = [];
	const app = express();
	app.use(express.json({ limit: '16mb' }));
	app.post('/v1/chat/completions', async (request: Request<unknown, unknown, Completion>, response) => {
		const { messages, tools = [] } = request.body;
		const turn = { messages: messages.map(withText), tools: tools.map((tool) => tool.function) };
		turns.push(turn);
		try {
			answer(response, turns.length, await script(turn), request.body.stream === true);
		} catch (error) {
			// n8n does not ask again after a 400.
			response.status(400).json({ error: { message: String(error) } });
		}
	});
	app.post('/v1/audio/transcriptions', async (request, response) => {
		const { file } = await readForm(request);
		if (!AUDIO_NAME.test(file?.filename ?? ''))
			return void response
				.status(400)
				.json({ error: { message: `Unsupported file format: ${file?.filename}` } });
		const heard = file?.bytes ?? Buffer.alloc(0);
		response.json({ text: transcribe(heard) });
	});
	const server = createServer(app);
	const origin = await listen(server);
	return {
		baseUrl: `${origin}/v1`,
		turns,
		play: (next) => {
			turns.length = 0;
			script = next;
		},
		hear: (next) => {
			transcribe = next;
		},
		stop: async () => await close(server),
	};
}

/** The node of this model, with a credential of its own. */
export async function modelNode(api: N8nApi, { baseUrl }: ModelServer): Promise<INode> {
	const secrets = { apiKey: 'any', url: baseUrl };
	const { id, name } = await api.createCredential('openAiApi', 'Scripted model', secrets);
	return node(
		'Model',
		'@n8n/n8n-nodes-langchain.lmChatOpenAi',
		{ model: { __rl: true, mode: 'id', value: 'scripted' }, responsesApiEnabled: false, options: {} },
		{ typeVersion: 1.3, credentials: { openAiApi: { id, name } } },
	);
}

/** A text can come in parts. */
function withText({ content, ...message }: Completion['messages'][number]): ChatMessage {
	return {
		...message,
		content: Array.isArray(content) ? content.map(({ text }) => text).join('') : content,
	};
}

function answer(response: Response, turn: number, reply: Reply, isStream: boolean): void {
	const message =
		'text' in reply
			? { role: 'assistant', content: reply.text }
			: {
					role: 'assistant',
					content: null,
					tool_calls: [
						{
							index: 0,
							id: `call-${turn}`,
							type: 'function',
							function: { name: reply.tool, arguments: JSON.stringify(reply.arguments) },
						},
					],
				};
	const completion = {
		id: `completion-${turn}`,
		object: isStream ? 'chat.completion.chunk' : 'chat.completion',
		created: Math.floor(Date.now() / 1000),
		model: 'scripted',
		choices: [
			{
				index: 0,
				[isStream ? 'delta' : 'message']: message,
				finish_reason: 'text' in reply ? 'stop' : 'tool_calls',
			},
		],
		usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
	};
	if (!isStream) return void response.json(completion);
	response.type('text/event-stream').end(`data: ${JSON.stringify(completion)}\n\ndata: [DONE]\n\n`);
}
