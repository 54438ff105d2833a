import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * The URL of this n8n below which its executions wait, without a slash at its end. n8n gives a node only the URL of its own
 * execution.
 */
export function waitingUrlOf(
	context: Pick<IExecuteFunctions, 'getWorkflowDataProxy' | 'getExecutionId'>,
): string {
	const { resumeUrl } = context.getWorkflowDataProxy(0).$execution as { resumeUrl: string };
	const url = resumeUrl.replace(/\?.*/, '');
	return url.slice(0, url.length - `/${context.getExecutionId()}`.length);
}
