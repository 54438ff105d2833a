import type { IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';
import { parseUrl } from '../api/baseUrl';

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
	return statusCode === 401 && /invalid/i.test(JSON.stringify(body));
}
