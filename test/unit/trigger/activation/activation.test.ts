import type { IDataObject, IHookFunctions, IHttpRequestOptions, WorkflowActivateMode } from 'n8n-workflow';

import { activate, deactivate } from '../../../../nodes/MessagingChannel/trigger/activation/activation';
import { clock } from '../../../../nodes/MessagingChannel/trigger/delivery/state';

const TRIGGER_URL = 'https://n8n.example.com/webhook/1/webhook';
const NO_WEBHOOK = { statusCode: 200, body: { success: true, data: null } };
const TAKEN = { statusCode: 200, body: { success: true, data: { url: 'https://crm.example.com/events' } } };

interface Response {
	statusCode: number;
	body: unknown;
}

interface Trigger {
	mode?: WorkflowActivateMode;
	/** A service of its own, of which this process knows nothing yet. */
	baseUrl: string;
	parameters?: IDataObject;
	kept?: IDataObject;
	respond?: (options: IHttpRequestOptions) => Response | Promise<Response>;
}

/** A trigger that n8n starts, with a service that responds so. */
function triggerOf({ mode = 'init', baseUrl, parameters = {}, kept = {}, respond }: Trigger) {
	const values: IDataObject = { events: ['message.received'], ...parameters };
	const log: string[] = [];
	const write = (line: string) => log.push(line);
	const context = {
		getActivationMode: () => mode,
		getNode: () => ({ id: 'node', name: 'Listens', parameters }),
		getWorkflow: () => ({ id: 'workflow', name: 'Support' }),
		getWorkflowStaticData: () => kept,
		getNodeParameter: (name: string, fallback: unknown) => values[name] ?? fallback,
		getNodeWebhookUrl: () => TRIGGER_URL,
		getCredentials: async () => await Promise.resolve({ baseUrl, apiKey: 'key', signingSecret: 'secret' }),
		logger: { info: write, warn: write },
		helpers: {
			httpRequestWithAuthentication: async (_: string, options: IHttpRequestOptions) => ({
				headers: {},
				...(await (respond?.(options) ?? NO_WEBHOOK)),
			}),
		},
	} as unknown as IHookFunctions;
	return { context, kept, log };
}

afterEach(() => jest.restoreAllMocks());

describe('when n8n starts', () => {
	test('the next triggers wait a second for a service that does not respond, until it does', async () => {
		const baseUrl = 'https://silent.example.com';
		let isSilent = true;
		const limits: number[] = [];
		jest.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
			limits.push(ms);
			if (!isSilent) await new Promise(() => undefined);
		});
		const unanswered: Array<(response: Response) => void> = [];
		const start = async () => {
			const respond = async () => await new Promise<Response>((resolve) => unanswered.push(resolve));
			await activate(triggerOf({ baseUrl, respond }).context);
		};

		await start();
		isSilent = false;
		await expect(activate(triggerOf({ baseUrl, respond: () => TAKEN }).context)).rejects.toThrow(
			'already points to',
		);
		isSilent = true;
		await start();
		expect(limits).toEqual([10_000, 1_000, 1_000]);

		for (const answer of unanswered) answer(NO_WEBHOOK);
		await new Promise(setImmediate);
		await start();
		expect(limits).toEqual([10_000, 1_000, 1_000, 10_000]);
	});

	test('a service behind a proxy that refuses the request is told', async () => {
		const respond = () => ({ statusCode: 403, body: '<html>Forbidden</html>' });
		const { context, log } = triggerOf({ baseUrl: 'https://refused.example.com', respond });

		await expect(activate(context)).rejects.toMatchObject({ httpCode: '403' });

		expect(log).toEqual([]);
	});

	test('a trigger has listened since it was published', async () => {
		const baseUrl = 'https://again.example.com';
		const now = jest.spyOn(clock, 'now').mockReturnValue(1_000);
		const { context, kept } = triggerOf({ baseUrl });
		await activate(context);
		now.mockReturnValue(2_000);
		await activate(context);

		expect(kept).toMatchObject({ webhookUrl: TRIGGER_URL, listeningSince: 1_000 });
	});
});

test.each([0, 'unknown'])(
	'a service that reports %j as the timeout is taken to wait as long as the trigger asks it to',
	async (timeout_seconds) => {
		let webhook: IDataObject | null = null;
		const respond = ({ method, url, body }: IHttpRequestOptions) => {
			if (url.endsWith('/test')) return { statusCode: 404, body: { error: 'not_found' } };
			if (url.endsWith('/account'))
				return { statusCode: 200, body: { success: true, data: { id: 'account-1' } } };
			if (method === 'POST') webhook = { ...(body as IDataObject), timeout_seconds };
			return { statusCode: 200, body: { success: true, data: webhook } };
		};
		const parameters = { 'options.combineEvents': 'perChat' };
		const trigger = { mode: 'activate', baseUrl: `https://${timeout_seconds}.example.com` } as const;
		const { context, kept } = triggerOf({ ...trigger, parameters, respond });

		expect(await activate(context)).toBe(true);

		expect(kept).not.toHaveProperty('timeoutSeconds');
	},
);

describe('a trigger that polls', () => {
	const parameters = { listen: 'poll', pollInterval: 5 };
	const baseUrl = 'https://polled.example.com';

	test('may ask every five seconds, and is ended without a request', async () => {
		const respond = jest.fn();
		const { context } = triggerOf({ baseUrl, parameters, respond });

		expect(await activate(context)).toBe(true);
		expect(await deactivate(context)).toBe(true);

		expect(respond).not.toHaveBeenCalled();
	});

	test.each([[['message.sent']], [['message.received', 'message.sent']], [[]]])(
		'is not started for the events %j',
		async (events) => {
			const { context } = triggerOf({ baseUrl, parameters: { ...parameters, events } });

			await expect(activate(context)).rejects.toThrow('Polling finds only received messages');
		},
	);
});
