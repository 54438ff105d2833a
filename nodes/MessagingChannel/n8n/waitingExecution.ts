import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { parseUrl } from '../api/baseUrl';
import type { WaitingExecution } from '../operation/operation';
import { connect, CREDENTIAL } from './connect';
import { isInEngine2 } from './engine';
import { get, httpRequestOf } from './httpRequest';

/** The key of the question in the node's context data. */
export const PENDING_QUESTION = 'asked';

/** The key of the latest deadline in the data that all nodes of an execution share. */
const LAST_DEADLINE = 'messagingChannelDeadline';

/** n8n responds at once. */
const LINK_TIMEOUT_MS = 5_000;

/**
 * n8n 1.x verifies the signature of a link only if the node requests it; 2.x always does. n8n 1.x does not always say whether
 * another node calls this one.
 */
type WaitingContext = Omit<IExecuteFunctions, 'isToolExecution'> &
	Partial<Pick<IExecuteFunctions, 'isToolExecution'>> & { setSignatureValidationRequired?: () => void };

/** What n8n can do to have an execution wait for an answer. */
export function waitingExecutionOf(context: IExecuteFunctions): WaitingExecution {
	return {
		items: () => context.getInputData().length,
		id: () => context.getExecutionId(),
		run: () => String(context.getWorkflowDataProxy(0).$runIndex),
		isInEngine2: () => isInEngine2(context.getExecutionId()),
		isCalled: () => isCalled(context),
		verifySignatures: () => (context as WaitingContext).setSignatureValidationRequired?.(),
		linkTo: (query) => context.getSignedResumeUrl(query),
		waitingUrl: () => waitingUrlOf(context),
		openLink: async (url) =>
			await get(httpRequestOf(context), { url, timeout: LINK_TIMEOUT_MS }).catch(() => undefined),
		client: async () => await connect(context),
		credential: async () => await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, 0),
		lastDeadline: () => Number(context.getContext('flow')[LAST_DEADLINE]),
		async wait(question, deadline, timeoutAnswer) {
			context.getContext('node')[PENDING_QUESTION] = { ...question, deadline: deadline.getTime() };
			context.getContext('flow')[LAST_DEADLINE] = deadline.getTime();
			const executed = context.getExecuteData();
			// When the time limit passes, n8n outputs the input data. An approval in that data, from an earlier question or from an
			// agent's own call, must not count as the answer.
			executed.data.main = [[{ json: { data: timeoutAnswer as IDataObject } }]];
			// n8n disables the node to go on, also for the other runs that share it: of several branches, or calls of an agent.
			executed.node = { ...executed.node };
			await context.putExecutionToWait(deadline);
		},
	};
}

function isCalled(context: WaitingContext): boolean {
	// In queue mode, n8n hands a tool of an MCP Server Trigger over as if it ran by itself.
	if (context.isToolExecution?.()) return true;
	return context.getExecuteData().node.name !== context.getNode().name;
}

/**
 * The URL of this n8n below which its executions wait, without a slash at its end. n8n gives a node only the URL of its own
 * execution.
 */
export function waitingUrlOf(
	context: Pick<IExecuteFunctions, 'getWorkflowDataProxy' | 'getExecutionId'>,
): string {
	const { resumeUrl } = context.getWorkflowDataProxy(0).$execution as { resumeUrl: string };
	// n8n writes links in this form, so without the port 443, whatever WEBHOOK_URL says. n8n 1.x gives this URL as it says.
	const entered = resumeUrl.replace(/\?.*/, '');
	const url = parseUrl(entered)?.href ?? entered;
	return url.slice(0, url.length - `/${context.getExecutionId()}`.length);
}

/** n8n's page or JSON for a link whose signature it does not accept. A proxy that asks for a password says it otherwise. */
export function isSignatureRefused({
	statusCode,
	body,
}: Pick<IN8nHttpFullResponse, 'statusCode' | 'body'>): boolean {
	return statusCode === 401 && /invalid (form )?(link|token|signature)/i.test(JSON.stringify(body));
}
