import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { permissions, type Permission } from '../service/core/records';
import { startReceiver } from '../service/testing';
import { virtualClock } from './clock';
import { N8N_URL, settings, waitingAt } from './context';
import { run, type Run } from './run';
import { useTrigger } from './trigger';

const ISTANBUL = settings.timezone;
/** A service that is not on the machine, as far as its name shows. */
export const PUBLIC = 'https://service.example.com';

/** What the report is asked for. */
export interface Given {
	options?: INodeParameters;
	/** Laid over the credential. */
	credential?: object;
	items?: IDataObject[];
}

/** The status of each check. */
export const statusesOf = (output: readonly INodeExecutionData[]) =>
	Object.fromEntries(output.map(({ json }) => [json.check, json.status]));
/** What a check says. */
export const rowOf = ({ output }: Run, name: string) => output.find(({ json }) => json.check === name)?.json;

/** The report on the setup of an account, with a service and an n8n. */
export function useCheckSetup() {
	const place = useTrigger();
	const control = () => place.service.control;

	const endings: Array<() => Promise<unknown>> = [];
	/** A key of its own for each test: the process remembers what was delivered for one. */
	let apiKey: string;
	beforeEach(async () => {
		({ apiKey } = await control().createKey({ permissions: [...permissions] }));
		waitingAt.url = `${place.n8nUrl}/webhook-waiting`;
		settings.editorUrl = place.n8nUrl;
	});
	afterEach(async () => {
		for (const end of endings.splice(0)) await end();
		settings.timezone = ISTANBUL;
		settings.editorUrl = waitingAt.url = N8N_URL;
	});

	const key = async () => ({
		baseUrl: place.service.origin,
		apiKey,
		signingSecret: (await control().webhook()).secret,
	});

	const check = async ({ options, credential, items = [{}] }: Given = {}): Promise<Run> => {
		const account = { ...(await key()), ...credential };
		return await run(account, virtualClock(), {
			operation: 'account:checkSetup',
			items,
			parameters: {},
			options: { maxAttempts: 1, maxRateLimitWait: 0, ...options },
			transport: async (request, send) => {
				request.url = request.url.replace(PUBLIC, place.service.origin);
				return await send();
			},
		});
	};
	const publish = async (options: Parameters<typeof place.trigger>[0] = {}) => {
		const parameters = { events: ['message.received'] };
		const trigger = await place.trigger({ parameters, ...options });
		trigger.credential = { ...trigger.credential, apiKey };
		await trigger.activate();
		return trigger;
	};
	/** A published trigger that an event has reached, in an account with a chat. */
	const whole = async () => {
		const trigger = await publish({ workflowName: 'Support' });
		await control().incomingMessage({ from: '905551112233', body: 'Hello' });
		await control().idle();
		return trigger;
	};

	/** Something else at the URL of a trigger. */
	const elsewhere = async (...answers: Array<number | null>): Promise<string> => {
		const receiver = await startReceiver();
		receiver.answers.push(...answers);
		endings.push(async () => await receiver.stop());
		return receiver.url.replace('/hook', '/webhook/other/webhook');
	};
	const setWebhook = async (changed: object) => {
		const { config } = await control().webhook();
		if (config) await control().setWebhook({ config: { ...config, ...changed } });
	};
	const setUrl = async (url: string) => await setWebhook({ url });
	const answer = async (operationId: string, ...all: object[]) => {
		for (const [index, data] of all.entries()) {
			const times = index === all.length - 1 ? 'always' : 1;
			const body = { success: true, data };
			await control().addFault({ operationId, kind: 'status', status: 200, body, times });
		}
	};
	const keyWith = async (...permissions: Permission[]): Promise<Given> => ({
		credential: await control().createKey({ permissions }),
	});

	return {
		...{ place, control, key, check, publish, whole, elsewhere, setWebhook, setUrl, answer, keyWith },
		/** What happens after the test. */
		endings,
	};
}
