import type { IDataObject, NodeExecutionHint } from 'n8n-workflow';

import { isOn } from '../api/values';
import type { Report } from '../operation/operation';
import { readFacts, type Facts } from './facts';
import type { Read } from './read';
import type { Row, Verdict } from './row';
import * as ofService from './serviceChecks';
import * as ofWebhook from './webhookChecks';

/** The checks, in the order of the output. Saved workflows may look for their names, so these never change. */
const CHECKS: ReadonlyArray<[check: string, judge: (facts: Facts) => Verdict]> = [
	['Service', ofService.service],
	['API Key', ofService.apiKey],
	['Permission chats:read', ofService.permission('chats:read', ({ chats }) => chats)],
	['Permission chats:write', ofService.unseenPermission('creating something')],
	['Permission messages:read', ofService.permission('messages:read', ({ queue }) => queue)],
	['Permission messages:send', ofService.unseenPermission('a send')],
	['Account', ofService.account],
	['Clocks', ofService.clocks],
	['Rate Limit', ofService.rateLimit],
	['Queue', ofService.queue],
	['Webhook', ofWebhook.webhook],
	['Receivers', ofWebhook.receivers],
	['Webhook URL', ofWebhook.webhookUrl],
	['n8n Address', ofWebhook.n8nAddress],
	['Test URLs', ofWebhook.testUrls],
	['Signing Secret', ofWebhook.signingSecret],
	['Deliveries', ofWebhook.deliveries],
	['Polling and Catching Up', ofWebhook.fetching],
	['Time Zone', ofService.timeZone],
	['Dialect', ofService.dialect],
];

/** Checks the setup. */
export const reportSetup: Report = async (context, { settings }) => {
	const facts = await readFacts(context, isOn(settings.sendTestEvent));
	const rows = rowsOf(facts);
	return { records: rows.map((row): IDataObject => ({ ...row })), hint: hintOf(rows, facts) };
};

/** A row for each check. */
function rowsOf(facts: Facts): Row[] {
	return CHECKS.map(([check, judge]) => ({ check, ...judge(facts) }));
}

/** The worst first, in one sentence. What could not be read may be anything. */
function hintOf(
	rows: readonly Row[],
	{ account, chats, message: newest, queue, rateLimit, webhook }: Facts,
): NodeExecutionHint {
	const reads: Array<Read<unknown>> = [account, chats, newest, queue, rateLimit, webhook];
	const [unread] = reads.flatMap((read) => (read && 'error' in read ? [read.error] : []));
	const [worst, ...others] = ['problem', 'warning'].flatMap((status) =>
		rows.filter((row) => row.status === status),
	);
	const also = others.length > 0 ? ` Also: ${others.map(({ check }) => check).join(', ')}.` : '';
	const fine = unread
		? `Not everything could be checked: ${unread.message}. ${unread.description}`
		: 'All checks are fine.';
	const message = worst ? `${worst.check}: ${worst.detail} ${worst.advice}${also}` : fine;
	return { type: worst || unread ? 'warning' : 'info', location: 'outputPane', message };
}
