import type { IDataObject, NodeExecutionHint } from 'n8n-workflow';

import { isOn } from '../api/values';
import type { Report } from '../operation/operation';
import { readFacts, type Facts } from './facts';
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
	return { records: rows.map((row): IDataObject => ({ ...row })), hint: hintOf(rows) };
};

/** A row for each check. */
function rowsOf(facts: Facts): Row[] {
	return CHECKS.map(([check, judge]) => ({ check, ...judge(facts) }));
}

/** The worst first, in one sentence. If there is nothing bad, what is not known although something can be done about it. */
function hintOf(rows: readonly Row[]): NodeExecutionHint {
	const withStatus = (status: Row['status']) => rows.filter((row) => row.status === status);
	const bad = [...withStatus('problem'), ...withStatus('warning')];
	const open = withStatus('unknown').filter(({ advice }) => advice !== '');
	const [first, ...others] = bad.length > 0 ? bad : open;
	const also = others.length > 0 ? ` Also: ${others.map(({ check }) => check).join(', ')}.` : '';
	return {
		type: first ? 'warning' : 'info',
		location: 'outputPane',
		message: first ? `${first.check}: ${first.detail} ${first.advice}${also}` : 'All checks are fine.',
	};
}
