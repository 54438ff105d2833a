import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { InvalidInput } from '../operation/input';
import type { Interaction } from '../operation/operation';
import { deadlineOf } from './deadline';
import { messageWith } from './messageLinks';
import { questionOf, type Question } from './question';

/** What is kept with an execution while it waits. */
export interface Asked extends Question {
	/** The run of the node that asks. Its links answer no other run's question. */
	run: string;
}

/** The name under which the question is kept in the node's data of the execution. */
export const ASKED = 'asked';

/** n8n 1.x verifies the signature of a link only where it is asked to; 2.x always does. */
type Asker = IExecuteFunctions & { setSignatureValidationRequired?: () => void };

/**
 * Puts links into a message, and lets the workflow wait until somebody answers through one of them.
 *
 * @throws InvalidInput when there are several items, or the wait would be over before it began
 */
export const sendAndWaitInteraction: Interaction = (context: Asker, input, request, now) => {
	const question = questionOf(input);
	checkWait(context.getInputData().length, question, now);
	context.setSignatureValidationRequired?.();
	const run = String(context.getWorkflowDataProxy(0).$runIndex);
	const message = messageWith(question, (query) => context.getSignedResumeUrl({ ...query, run }));
	return {
		request: { ...request, parameters: { ...request.parameters, message } },
		wait: async (sentAt) => await waitForAnswer(context, { ...question, run }, sentAt),
	};
};

/**
 * Refuses what could not be waited for.
 *
 * @param items how many items the node got
 * @param now Unix time in milliseconds
 * @throws InvalidInput when there are several items, or the wait would be over before it began
 */
export function checkWait(items: number, { limit }: Question, now: number): void {
	if (items > 1) {
		throw new InvalidInput(
			`has ${items} items, and the workflow can wait for one answer at a time`,
			'Put a Loop Over Items node before this one, or turn on Execute Once in its settings to ask only about the first item.',
			'Input',
		);
	}
	if (deadlineOf(limit, now).getTime() <= now) {
		throw new InvalidInput('would be over at once', 'Enter a later date and time.', 'Limit Wait Time');
	}
}

async function waitForAnswer(context: IExecuteFunctions, asked: Asked, now: number): Promise<void> {
	context.getContext('node')[ASKED] = asked;
	// When the time is over, n8n passes the input on as if it were the answer. An approval in it, an earlier one or one that
	// an agent put into its own call, must not be taken for one of this question.
	context.getExecuteData().data.main = [[{ json: { data: nothingFrom(asked) } }]];
	await context.putExecutionToWait(deadlineOf(asked.limit, now));
}

function nothingFrom({ reply }: Question): IDataObject {
	return { ...(reply.type === 'approval' ? { approved: false } : {}), timedOut: true };
}
