import type { InvalidInput } from '../../../nodes/MessagingChannel/operation/input';

/** The error that says what is wrong with a value, and what to do. */
export const refusal = (problem: string, advice: string): InvalidInput =>
	expect.objectContaining({
		problem,
		description: expect.stringContaining(advice) as string,
	}) as InvalidInput;
