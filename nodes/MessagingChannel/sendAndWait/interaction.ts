import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import { InvalidInput } from '../operation/input';
import { deadlineOf } from './deadline';
import { messageWith } from './messageLinks';
import type { Question } from './question';

/** What is kept with an execution while it waits. */
export interface Asked extends Question {
	/** The run of the node that asks. Its links answer no other run's question. */
	run: string;
}

/** The name under which the question is kept in the node's data of the execution. */
export const ASKED = 'asked';

/**
 * Refuses what could not be waited for, while nothing has been sent yet.
 *
 * @throws InvalidInput when there are several items, or the wait would be over before it began
 */
export function checkWait(items: number, { limit }: Question, now: number): void {
	if (items > 1) {
		throw new InvalidInput(
			`has ${items} items, but the workflow can wait for only one response at a time`,
			"Add a Loop Over Items node before this one, or turn on 'Execute Once' in the settings of this node to ask only about the first item.",
			'Input',
		);
	}
	if (deadlineOf(limit, now).getTime() <= now) {
		throw new InvalidInput('ends immediately', 'Enter a later date and time.', 'Limit Wait Time');
	}
}

/** n8n 1.x verifies the signature of a link only where it is asked to; 2.x always does. */
type Asker = IExecuteFunctions & { setSignatureValidationRequired?: () => void };

/** The request with links in its message that lead to this run's question. */
export function withLinks(context: Asker, request: ApiRequest, question: Question): ApiRequest {
	context.setSignatureValidationRequired?.();
	const run = runOf(context);
	const message = messageWith(question, (query) => context.getSignedResumeUrl({ ...query, run }));
	return { ...request, parameters: { ...request.parameters, message } };
}

/** Lets the execution wait until somebody answers, or the time is over. */
export async function waitForAnswer(
	context: IExecuteFunctions,
	question: Question,
	now: number,
): Promise<void> {
	const asked: Asked = { ...question, run: runOf(context) };
	context.getContext('node')[ASKED] = asked;
	// When the time is over, n8n passes the input on as if it were the answer. An approval in it, an earlier one or one that
	// an agent put into its own call, must not be taken for one of this question.
	context.getExecuteData().data.main = [[{ json: { data: nothingFrom(question) } }]];
	await context.putExecutionToWait(deadlineOf(question.limit, now));
}

function nothingFrom({ reply }: Question): IDataObject {
	return { ...(reply.type === 'approval' ? { approved: false } : {}), timedOut: true };
}

function runOf(context: IExecuteFunctions): string {
	return String(context.getWorkflowDataProxy(0).$runIndex);
}
