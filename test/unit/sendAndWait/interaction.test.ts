import type { IExecuteFunctions } from 'n8n-workflow';

import type { ApiRequest } from '../../../nodes/MessagingChannel/api/apiRequest';
import { SEND_MESSAGE } from '../../../nodes/MessagingChannel/api/endpoints';
import type { Input } from '../../../nodes/MessagingChannel/operation/input';
import { sendAndWaitInteraction } from '../../../nodes/MessagingChannel/sendAndWait/interaction';

test('an n8n that verifies the signature of a link only on request is asked to', async () => {
	const setSignatureValidationRequired = jest.fn();
	const node = { name: 'Ask' };
	const context = {
		getNode: () => node,
		getExecuteData: () => ({ node }),
		getInputData: () => [{ json: {} }],
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getExecutionId: () => '1',
		getSignedResumeUrl: () => 'https://n8n.example.com/webhook-waiting/1/node?signature=a',
		setSignatureValidationRequired,
	} as unknown as IExecuteFunctions;
	const input = {
		parameters: { message: 'Ship it?' },
		settings: { responseType: 'approval' },
	} as unknown as Input;
	const request: ApiRequest = { endpoint: SEND_MESSAGE, parameters: input.parameters };

	await sendAndWaitInteraction(context, input, request);

	expect(setSignatureValidationRequired).toHaveBeenCalledTimes(1);
});
