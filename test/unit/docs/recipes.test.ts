import { DateTime } from 'luxon';

import { create as createBroadcast } from '../../../nodes/MessagingChannel/actions/broadcast/create';
import { send as sendTemplate } from '../../../nodes/MessagingChannel/actions/template/send';
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

test.each([
	['one that was sent', { outcome: 'queued', queued: true }, ['queued', '']],
	['one that was skipped', { outcome: 'skipped', reason: 'Why' }, ['skipped', 'Why']],
	['one that failed', { outcome: 'not_sent', error: 'Why' }, ['not_sent', 'Why']],
])('the columns of a row say what became of it, and why: %s', (_, json, columns) => {
	const written = ['{{ $json.outcome }}', '$json.reason'].map(expressionWith);
	expect(written.map((expression) => valueOf(expression, { json }))).toEqual(columns);
});

// 30 January 2032 is a Friday.
test.each([
	['2032-01-30T08:59:59', false, '2032-01-30T09:00:00'],
	['2032-01-30T09:00:00', true, undefined],
	['2032-01-30T18:00:00', false, '2032-01-31T09:00:00'],
	['2032-01-31T09:00:00', false, '2032-02-01T09:00:00'],
	['2032-02-01T09:00:00', false, '2032-02-02T09:00:00'],
	['2032-02-02T09:00:00', true, undefined],
])('office hours: at %s, they are open: %s, and else it waits until %s', (now, isOpen, next) => {
	const { zone } = valueOf('{{ $now }}', row) as DateTime;
	const clock = jest.spyOn(Date, 'now').mockReturnValue(DateTime.fromISO(now, { zone }).toMillis());
	const [open, nextOpening] = ['$now.weekday', '$now.plus'].map((words) =>
		valueOf(expressionWith(words), row),
	);
	clock.mockRestore();
	expect(open).toBe(isOpen);
	if (next !== undefined) expect((nextOpening as DateTime).toFormat("yyyy-MM-dd'T'HH:mm:ss")).toBe(next);
});
