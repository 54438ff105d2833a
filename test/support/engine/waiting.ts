import type { Request, Response } from 'express';
import { buffer } from 'node:stream/consumers';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { links } from '../world/asking';
import { N8N_URL, receive, waitingAt, type Waiting } from './context';
import { person, type Engine } from './engine';
import { useServer } from './server';
import { stored, type RunOptions } from './run';
import { byPhone } from '../operations/parameters';

/** A question that was sent, in an execution that waits. */
export interface Asked extends Waiting {
	/** What the execution does by now; undefined while it waits. */
	state?: 'runs' | 'failed' | 'ended';
	/** The links in the message, by their labels. */
	links: Record<string, string>;
	/** What n8n continued the workflow with, for each answer that it accepted. */
	readonly accepted: Array<INodeExecutionData[][] | undefined>;
	/** The statuses with which n8n responds to the answers that it gets, in order; then 200. */
	readonly statuses: number[];
}

/** An n8n in which executions wait, and which serves the links in their messages. */
export function useWaiting(engine: Engine) {
	let executions = 0;
	const questions = new Map<string, Asked>();

	/** What n8n does with a request to a link, except to verify its signature. */
	const take = async (request: Request, response: Response) => {
		const asked = questions.get(request.path.split('/')[1] ?? '');
		// The execution runs, and asks only after this.
		if (!asked) return void response.status(409).json({ message: 'The execution is running already.' });
		if (asked.state) return respondInstead(asked.state, response);
		const content = await buffer(request);
		request.body = await bodyOf(request, content);
		// n8n keeps the bytes of everything but a form.
		if (request.is('multipart/form-data')) {
			request.readRawBody = async () => await Promise.reject(new Error('The stream is not readable'));
		} else {
			request.rawBody = content;
			request.readRawBody = async () => await Promise.resolve();
		}
		const result = await receive(asked, request, response);
		if (result.noWebhookResponse) return;
		const status = asked.statuses.shift() ?? 200;
		if (status === 200) asked.accepted.push(result.workflowData);
		response.status(status).send(result.webhookResponse);
	};

	const server = useServer(take);
	beforeAll(() => void (waitingAt.url = server.url));
	afterAll(() => void (waitingAt.url = N8N_URL));

	return {
		/** Asks, with these parameters. */
		ask: async (parameters: INodeParameters = {}, more: Partial<RunOptions> = {}) => {
			const { executionId = `${++executions}` } = more;
			const { node, execution, error } = await engine.run({
				operation: 'message:sendAndWait',
				items: [{}],
				parameters: {
					to: byPhone(person(1)),
					message: 'Ship it?',
					...parameters,
				},
				executionId,
				...more,
			});
			if (error) throw error;
			const asked: Asked = {
				node,
				// n8n stores an execution that waits, and reads it again for each request.
				execution: stored(execution),
				executionId,
				credential: () => engine.account,
				links: await links(engine),
				accepted: [],
				statuses: [],
			};
			questions.set(executionId, asked);
			return asked;
		},
	};
}

/** What n8n does with a request for an execution that does not wait. */
function respondInstead(state: NonNullable<Asked['state']>, response: Response): void {
	if (state === 'ended') return void response.send('<h1>No action required</h1>');
	const end = state === 'runs' ? 'is running already.' : 'has finished with error.';
	response.status(409).json({ code: 409, message: `The execution "1" ${end}` });
}

/** The body of a request as n8n reads it. */
async function bodyOf(request: Request, content: Buffer): Promise<unknown> {
	if (content.length === 0) return undefined;
	const type = request.headers['content-type'] ?? '';
	if (type === 'application/json') return JSON.parse(content.toString()) as unknown;
	const form = await new globalThis.Response(content, { headers: { 'content-type': type } }).formData();
	const values = [...new Set(form.keys())].map((name) => {
		const [value, ...others] = form.getAll(name);
		return [name, others.length > 0 ? [value, ...others] : value];
	});
	return { data: Object.fromEntries(values) as unknown, files: {} };
}
