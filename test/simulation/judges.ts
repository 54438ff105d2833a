import { API_KEY } from './n8n/network';
import type { RowOwner } from './n8n/row';

/** No secret is in what people can read. */
export const leaks = (readable: readonly unknown[], ...secrets: string[]): string[] =>
	readable
		.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
		.filter((text) => [API_KEY, ...secrets].some((secret) => text.includes(secret)))
		.map((text) => `a secret is in: ${text.slice(0, 200)}`);

/** Every execution ends. */
export const endless = (executions: ReadonlyArray<{ id: string; status: string }>): string[] =>
	executions
		.filter(({ status }) => status === 'running' || status === 'queued')
		.map(({ id, status }) => `execution ${id} never ends: ${status}`);

/** A process makes one call to a row at a time, so it overwrites no key of its own. */
export const overwritten = (rows: readonly RowOwner[]): string[] =>
	rows
		.filter(({ lostByItself = 0 }) => lostByItself > 0)
		.map(() => 'a row lost keys that its own process had written');
