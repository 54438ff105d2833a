import type { N8nApi } from '../n8n/api';
import { withCredentialChosen, type WorkflowDefinition } from '../n8n/workflow';
import { eventually } from '../poll';
import { links, open, submit } from '../world/asking';
import { partsOf } from '../operations/expectations';
import type { World } from '../world/world';
import type { SavedRelease, SavedRequest } from './saved';

/** What somebody answers to the questions, in turn: which link, and what goes into the fields of its page. */
const ANSWERS = [
	{ label: 'Ship it', values: [] },
	{ label: 'Write it here', values: ['Ring twice'] },
	{ label: 'Respond', values: ['Ada', '3'] },
];

/** Imports a saved workflow as a user does, who then chooses the credential. */
async function importSaved(
	{ n8n, credential }: World,
	saved: WorkflowDefinition,
): Promise<{ id: string; api: N8nApi }> {
	const { id } = await n8n.api.createWorkflow(withCredentialChosen(saved, credential));
	return { id, api: n8n.api };
}

/** Publishes the workflow with the trigger, lets a message arrive, and takes it back. */
export async function replayTrigger(
	world: World,
	saved: WorkflowDefinition,
): Promise<SavedRelease['trigger']['recorded']> {
	const { service, n8n } = world;
	await service.control.reset();
	const { id, api } = await importSaved(world, saved);
	await api.activate(id);
	const { config } = await service.control.webhook();
	await service.control.incomingMessage({ from: '905551112233', chatName: 'Ada', body: 'Are you open?' });
	succeeded((await api.waitForExecutions(id, 1))[0]);
	await api.deactivate(id);
	return { webhook: masked(n8n, config), requests: await sent(world) };
}

/** Runs the workflow that asks, answers each question, and returns what was sent. */
export async function replayQuestions(world: World, saved: WorkflowDefinition): Promise<SavedRequest[]> {
	const { service } = world;
	await service.control.reset();
	const { id, api } = await importSaved(world, saved);
	const execution = await api.run(id);
	for (const [asked, { label, values }] of ANSWERS.entries()) {
		await eventually(
			async () => await service.control.accepted(),
			({ length }) => length > asked,
		);
		// The answer to a question that n8n is still saving is refused.
		await api.waitForExecution(execution.id);
		await fillIn((await links(world))[label], values);
	}
	await eventually(
		async () => await service.control.accepted(),
		({ length }) => length > ANSWERS.length,
	);
	succeeded(await api.waitForEnd(execution.id));
	return await sent(world);
}

/** Opens a link, fills in the fields of its page in their order, and presses the button. */
async function fillIn(link: string | undefined, values: string[]): Promise<void> {
	const { page } = await open(link);
	const names = [...page.matchAll(/<(?:input|textarea) [^>]*name="([^"]+)"/g)].map(([, name = '']) => name);
	const { status } = await submit(
		link,
		Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])),
	);
	if (status !== 200) throw new Error(`The answer was not taken: ${status}`);
}

function succeeded(execution: Awaited<ReturnType<N8nApi['execution']>> | undefined): void {
	if (execution?.status !== 'success')
		throw new Error(`The workflow ended with ${execution?.status}: ${execution?.error?.message}`);
}

/** The messages; what else a trigger or a question needs of the service is for each release to decide. */
async function sent({ n8n, service }: World): Promise<SavedRequest[]> {
	const requests: SavedRequest[] = masked(n8n, (await service.control.requests()).map(partsOf));
	return requests.filter(({ method, path }) => method === 'POST' && path.includes('/messages/'));
}

/** The value as JSON, without what is another in each run: the address of n8n, and the rest of signed links. */
function masked<T>({ url }: World['n8n'], value: T): T {
	const text = JSON.stringify(value)
		.replaceAll(url, '{n8n}')
		.replace(/(\{n8n\}\/webhook-waiting\/)[^\s"\\]+/g, '$1…');
	return JSON.parse(text) as T;
}
