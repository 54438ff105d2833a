import type { IDataObject, INode } from 'n8n-workflow';

import type { N8nApi } from '../n8n/api';
import type { Execution } from '../n8n/execution';
import { itemsNode, messagingChannel, type CredentialReference } from '../n8n/workflow';
import { poll } from '../poll';
import type { Service } from '../service/service';

/** The name of the node that sends. */
const SEND = 'Send';

/** A row of a spreadsheet. */
export interface Row {
	row_number: number;
	phone: string;
	text: string;
}

/** Rows with a text of their own each. */
export const campaignRows = (count: number): Row[] =>
	Array.from({ length: count }, (_, row) => ({
		row_number: row + 2,
		phone: `9055533${String(row).padStart(5, '0')}`,
		text: `Your order ${row} is ready`,
	}));

/** Nodes that send each row of a spreadsheet once, with a request ID. */
export function campaignNodes(rows: Row[], credential: CredentialReference): INode[] {
	const send = messagingChannel(
		SEND,
		{
			resource: 'message',
			operation: 'send',
			to: { __rl: true, mode: 'phone', value: '={{ $json.phone }}' },
			message: '={{ $json.text }}',
			options: { requestId: '={{ $json.row_number }}-march' },
		},
		credential,
		{ onError: 'continueRegularOutput' },
	);
	return [...itemsNode(rows), send];
}

/** Has the service answer sends late, so that a kill leaves some without an answer. */
export async function answerLate({ control }: Service): Promise<void> {
	await control.addFault({
		operationId: 'message.send',
		kind: 'delay',
		ms: 500,
		when: 'after',
		times: 'always',
	});
}

/** Waits until the service has taken so many texts, or the execution is over. What stays uncertain is not sent again. */
export async function untilSent(
	{ control }: Service,
	api: N8nApi,
	executionId: string,
	goal: number,
	timeoutMs: number,
): Promise<void> {
	let isOver = false;
	const end = () => {
		isOver = true;
	};
	// Without an answer, n8n has been killed meanwhile.
	void api.waitForEnd(executionId, 2 * timeoutMs).then(end, end);
	let sent = 0;
	const isEnough = async () => {
		sent = (await control.accepted()).length;
		return isOver || sent >= goal;
	};
	const failure = () => `execution ${executionId} did not end, and ${sent} of ${goal} texts were sent`;
	await poll(isEnough, { timeoutMs, failure, longestPauseMs: 10 });
}

/** How often the service took the text of each row. */
export async function timesSent({ control }: Service, rows: Row[]): Promise<number[]> {
	const times = new Map<string, number>();
	for (const { body } of await control.accepted()) times.set(body, (times.get(body) ?? 0) + 1);
	return rows.map(({ text }) => times.get(text) ?? 0);
}

/** What the report of a run says about each row. */
export function reported(execution: Execution): Array<'sent' | 'sentBefore' | 'uncertain' | 'other'> {
	const kindOf = ({ already_sent, ambiguous, queued }: IDataObject) =>
		already_sent ? 'sentBefore' : queued ? 'sent' : ambiguous ? 'uncertain' : 'other';
	return execution.items(SEND).map(({ json }) => kindOf(json));
}

/** How often something is in a list. */
export const count = <T>(list: readonly T[], wanted: T): number =>
	list.filter((each) => each === wanted).length;

/** Sees that the last report is true, and that nothing was sent twice or left out without a word. */
export function expectTrueReport(last: Execution, times: readonly number[], maxUncertain: number): void {
	const report = reported(last);
	expect(last.status).toBe('success');
	expect(report).toHaveLength(times.length);
	expect(Math.max(...times)).toBe(1);
	// What is reported as sent was sent.
	const wrong = times.flatMap((sent, row) => (report[row] !== 'uncertain' && sent !== 1 ? [row] : []));
	expect(wrong).toEqual([]);
	expect(count(report, 'other')).toBe(0);
	expect(count(report, 'uncertain')).toBeLessThanOrEqual(maxUncertain);
}
