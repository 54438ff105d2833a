import type { IExecuteFunctions } from 'n8n-workflow';

/** The parts of n8n's context that are named here; any other use fails the test. */
export function contextOf(parts: {
	[Name in keyof IExecuteFunctions]?: unknown;
}): IExecuteFunctions {
	return parts as unknown as IExecuteFunctions;
}
