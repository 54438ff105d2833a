import type { INode } from 'n8n-workflow';

const RETRIES = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 } as const;
const CONTINUES = { onError: 'continueRegularOutput' } as const;
const ERROR_OUTPUT = { onError: 'continueErrorOutput' } as const;

/** Every setting that n8n gives a node and applies itself, and those that change each other's effect. */
export const SETTINGS = {
	none: {},
	'Always Output Data': { alwaysOutputData: true },
	'Execute Once': { executeOnce: true },
	'On Error: Continue': CONTINUES,
	'On Error: Error Output': ERROR_OUTPUT,
	'Retry On Fail': RETRIES,
	'Always Output Data, Continue': { alwaysOutputData: true, ...CONTINUES },
	'Always Output Data, Error Output': { alwaysOutputData: true, ...ERROR_OUTPUT },
	'Execute Once, Continue': { executeOnce: true, ...CONTINUES },
	'Execute Once, Retry On Fail': { executeOnce: true, ...RETRIES },
	'Retry On Fail, Continue': { ...RETRIES, ...CONTINUES },
	'Retry On Fail, Error Output': { ...RETRIES, ...ERROR_OUTPUT },
} satisfies Record<string, Partial<INode>>;

export type Setting = keyof typeof SETTINGS;

/** What is right in one way of running, and what differs with a setting. */
export type Expected = { usual: string } & Partial<Record<Setting, string>>;

/** The same with Execute Once, whatever else is set. */
export const once = (expected: string) => ({
	'Execute Once': expected,
	'Execute Once, Continue': expected,
	'Execute Once, Retry On Fail': expected,
});

/** The cells of a table: each way of running with each setting. */
export const cellsOf = (
	table: Record<string, Expected>,
): Array<[way: string, setting: Setting, expected: string]> =>
	Object.entries(table).flatMap(([way, { usual, ...others }]) =>
		(Object.keys(SETTINGS) as Setting[]).map((setting): [string, Setting, string] => [
			way,
			setting,
			others[setting] ?? usual,
		]),
	);
