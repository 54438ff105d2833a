import type { INode, INodeParameters } from 'n8n-workflow';

import type { Execution } from '../n8n/execution';
import { itemsNode, manualTrigger, messagingChannel, workflow } from '../n8n/workflow';
import { byPhone } from '../operations/parameters';
import type { Place } from './world';

/** The name of the node that asks. */
export const ASK = 'Ask';

/** What every question here has unless a test says otherwise. */
const QUESTION: INodeParameters = { to: byPhone('+90 555 123 45 67'), message: 'Ship order 7?' };

/** The node that asks. */
export const askNode = (
	{ credential }: Pick<Place, 'credential'>,
	parameters: INodeParameters = {},
	extra: Partial<INode> = {},
) =>
	messagingChannel(
		ASK,
		{ resource: 'message', operation: 'sendAndWait', ...QUESTION, ...parameters },
		credential,
		extra,
	);

/** Runs a workflow that asks until it waits, or ends. */
export async function ask(
	world: Place,
	parameters: INodeParameters = {},
	{ items = [{}], ...extra }: Partial<INode> & { items?: object[] } = {},
): Promise<Execution> {
	const steps = [manualTrigger(), ...itemsNode(items), askNode(world, parameters, extra)];
	const { id } = await world.n8n.api.createWorkflow(workflow('Asking', steps));
	return await world.n8n.api.run(id);
}

/** The texts that were sent. */
export const texts = async ({ service }: Pick<Place, 'service'>) =>
	(await service.control.accepted()).map(({ body }) => body);

/** The links of the latest message, by what stands before them. */
export async function links(world: Pick<Place, 'service'>): Promise<Record<string, string>> {
	const text = (await texts(world)).at(-1) ?? '';
	return Object.fromEntries(
		[...text.matchAll(/^(.+): (http\S+)$/gm)].map(([, label, link]) => [label, link]),
	);
}

/** What somebody sees who follows a link. */
export interface Seen {
	status: number;
	page: string;
	headers: Headers;
}

/** Opens a link, as a browser or a chat app does that shows a preview. */
export async function open(link = '', headers: Record<string, string> = {}): Promise<Seen> {
	return await seen(await fetch(link, { headers, redirect: 'manual' }));
}

/** Presses the button on a link's page, with these fields filled in. */
export async function submit(link = '', fields: Record<string, string | string[]> = {}): Promise<Seen> {
	const form = new FormData();
	for (const [name, values] of Object.entries(fields)) {
		for (const value of [values].flat()) form.append(name, value);
	}
	// A form without any field is still one.
	if ([...form.keys()].length === 0) form.append('', '');
	return await seen(await fetch(link, { method: 'POST', body: form, redirect: 'manual' }));
}

async function seen(response: Response): Promise<Seen> {
	return { status: response.status, page: await response.text(), headers: response.headers };
}

/** What the node that asked put out in the end. */
export async function outcome({ n8n }: Pick<Place, 'n8n'>, { id }: Pick<Execution, 'id'>) {
	const execution = await n8n.api.waitForEnd(id);
	return { status: execution.status, items: execution.items(ASK) };
}
