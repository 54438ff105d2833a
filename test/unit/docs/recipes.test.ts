import type { INodeExecutionData } from 'n8n-workflow';

import { create as createBroadcast } from '../../../nodes/MessagingChannel/actions/broadcast/create';
import { send as sendTemplate } from '../../../nodes/MessagingChannel/actions/template/send';
import { unconfirmedError } from '../../../nodes/MessagingChannel/api/errors';
import { failedItem } from '../../../nodes/MessagingChannel/n8n/nodeErrors';
import { located, requestFor } from '../entered';
import { expressionsIn, valueOf } from './expressions';
import { codeSpansOf, page } from './pages';

const row = { json: { phone: '+90 555 111 22 33', name: 'Ada "the first"', order: 1234 } };

/** The expression in the recipes that holds these words. */
function expressionWith(words: string): string {
	const found = codeSpansOf(page('docs/recipes.md')).flatMap(expressionsIn);
	return found.find((expression) => expression.includes(words)) ?? `no expression with ${words}`;
}

test('the expression for the recipients of a broadcast is what Recipients takes', () => {
	const entered = { name: 'Sale', message: 'Hello', recipientsFrom: 'allItems' };
	const recipients = valueOf(expressionWith('$json.phone'), row);
	const { parameters } = requestFor(createBroadcast, { ...entered, recipients });
	expect(parameters).toMatchObject({ recipients: ['905551112233'] });
});

test('the expression for the variables of a template is what Variables (JSON) takes, quotes included', () => {
	const { parameters } = requestFor(sendTemplate, {
		to: located('phone', row.json.phone),
		templateId: located('name', 'order_shipped'),
		additionalFields: { variables: valueOf(expressionWith('order: '), row) },
	});
	expect(parameters).toMatchObject({ variables: { name: 'Ada "the first"', order: '1234' } });
});

test('the columns about a row are empty when its message was sent, and tell what else became of it', () => {
	const columns = ['$json.error', '$json.reason', '$json.ambiguous'].map(expressionWith);
	const columnsOf = (item: INodeExecutionData) => columns.map((expression) => valueOf(expression, item));
	const sent = { queued: true, job_id: 'job-1', to: '905551112233@c.us' };

	expect(columnsOf({ json: sent })).toEqual([undefined, undefined, undefined]);
	expect(columnsOf({ json: { already_sent: true, request_id: '1' } })).toEqual([
		undefined,
		undefined,
		undefined,
	]);
	expect(columnsOf({ json: { skipped: true, reason: 'Why', to: '905551112233' } })).toEqual([
		undefined,
		'Why',
		undefined,
	]);
	const unconfirmed = failedItem(unconfirmedError(), 0);
	expect(columnsOf(unconfirmed)).toEqual([unconfirmed.json.error, undefined, true]);
});
