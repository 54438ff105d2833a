// cspell:ignore Ayşe
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { itemParametersOf } from '../../nodes/MessagingChannel/n8n/itemParameters';
import { executeContext } from '../support/engine/context';
import { nodeOf } from '../support/engine/workflow';

/** n8n's context of a node with these parameters, for one item. */
function contextFor(json: IDataObject, parameters: INodeParameters) {
	const node = nodeOf('Send', {
		type: 'n8n-nodes-messaging-channel.messagingChannel',
		parameters: { resource: 'message', operation: 'send', ...parameters },
	});
	const credential = () => ({ baseUrl: 'http://127.0.0.1', apiKey: 'key' });
	return executeContext(node, [{ json: {} }, { json }], { credential });
}

const outcomeOf = <Value>(read: () => Value): { value: Value } | { error: string } => {
	try {
		return { value: read() };
	} catch (error) {
		return { error: (error as Error).message };
	}
};

/** What the node reads, what n8n reads, and how many parameters the node left to n8n. */
function readBoth(json: IDataObject, parameters: INodeParameters) {
	const context = contextFor(json, parameters);
	const getNodeParameter = context.getNodeParameter.bind(context);
	let leftToN8n = 0;
	context.getNodeParameter = ((name: string, itemIndex: number, fallback: unknown, options?: object) => {
		if (!options) leftToN8n++;
		return getNodeParameter(name, itemIndex, fallback, options);
	}) as never;
	const { read } = itemParametersOf(context, 1);
	const names = Object.keys(parameters);
	const own = names.map((name) => outcomeOf(() => read(name, 'fallback')));
	const byN8n = names.map((name) => outcomeOf(() => getNodeParameter(name, 1, 'fallback')));
	return { own, byN8n, leftToN8n };
}

const JSON_ITEM = {
	phone: '905551234567',
	row_number: 7,
	zero: 0,
	paid: false,
	empty: '',
	'First name': 'Ayşe "the" {{first}}',
	customer: { name: "O'Neill\n\\", 'post code': 34000, tags: ['a'] },
	nothing: null,
	notANumber: NaN,
};

test.each<[expression: string, value: unknown]>([
	['={{ $json.phone }}', '905551234567'],
	["={{ $json['First name'] }}", 'Ayşe "the" {{first}}'],
	['={{\n\t$json.row_number\n}}', 7],
	['={{ $json.customer.name }}', "O'Neill\n\\"],
	['={{ $json.customer["post code"] }}', 34000],
	['={{ $json.row_number }}-march', '7-march'],
	['=Dear {{ $json.customer.name }},\r\n"{{ $json.zero }}" {{ $json.paid }}{{ $json.empty }}!', undefined],
	['=just text', 'just text'],
	[' ={{ $json.phone }}', ' ={{ $json.phone }}'],
])('%s is read as n8n reads it, without its sandbox', (expression, value) => {
	const { own, byN8n, leftToN8n } = readBoth(JSON_ITEM, { message: expression });
	expect(own).toEqual(byN8n);
	if (value !== undefined) expect(own).toEqual([{ value }]);
	expect(leftToN8n).toBe(0);
});

test.each([
	'={{ $json.missing }}',
	'={{ $json.nothing }}',
	'={{ $json.notANumber }} and text',
	'={{ $json.customer }}',
	'={{ $json.phone.length }}',
	'={{ $json.phone + 1 }}',
	'={{ $json.phone',
	'={{ $json.phone }} }}',
	'={{ $execution.id }}',
	"={{ $json['customer'][`name`] }}",
])('%s is left to n8n', (expression) => {
	const { own, byN8n, leftToN8n } = readBoth(JSON_ITEM, { message: expression });
	expect(own).toEqual(byN8n);
	expect(leftToN8n).toBe(1);
});

test('one expression that n8n has to evaluate leaves the whole option list to it', () => {
	const options = { requestId: '={{ $json.row_number }}-march', maxAttempts: 2, skipTags: ['={{ "stop" }}'] };
	const { own, byN8n } = readBoth(JSON_ITEM, { options });
	expect(own).toEqual(byN8n);
	expect(own).toEqual([{ value: { requestId: '7-march', maxAttempts: 2, skipTags: ['stop'] } }]);
});

/** Whether a part of a text is missing, and how many expressions n8n had to evaluate to tell. */
function partMissing(json: IDataObject, message: string) {
	const context = contextFor(json, { message });
	const evaluateExpression = context.evaluateExpression.bind(context);
	let evaluated = 0;
	context.evaluateExpression = (expression, itemIndex) => {
		evaluated++;
		return evaluateExpression(expression, itemIndex);
	};
	const { read, isPartMissing } = itemParametersOf(context, 1);
	const isMissing = isPartMissing('message', read('message', ''), true);
	return { isMissing, evaluated, isMissingByParts: isPartMissing('message', undefined, true) };
}

test.each([
	['={{ $json.row_number + 1 }}-march', false, 0],
	['={{ $json.row_number + 1 }}', false, 0],
	['={{ $json.nope + 1 }}-march', true, 1],
	[' ={{ $json.nope }}-march', false, 0],
	['={{ null }}-march', true, 1],
	['={{ "" }}-march', false, 1],
	['={{ $json.phone }}-{{ $json.row_number }}', false, 0],
	[String.raw`=\{{ $json.nope }}`, false, 0],
	[String.raw`=\{{ $json.nope }} {{ $json.row_number + 1 }}`, false, 1],
])('whether a part of %s is missing: %s, after %d evaluations', (message, isMissing, evaluated) => {
	expect(partMissing(JSON_ITEM, message)).toEqual({ isMissing, evaluated, isMissingByParts: isMissing });
});

test.each([
	['=+{{ $json.empty }}{{ $json.phone }}', true],
	['={{ $json.phone }}, {{ $json.empty }}', false],
	['={{ $json.phone }},\n{{ $json.empty }} ; {{ $json.phone }}', false],
	['={{ $json.phone }}, +90{{ $json.empty }}', true],
	['={{ $json.empty }}', false],
	['=["{{ $json.phone }}", "{{ $json.empty }}"]', false],
	['={{ $json.phone ? "" : "+" }}{{ $json.phone }}', false],
	['={{ $json.empty?.trim() }}{{ $json.phone }}', true],
])('where a part of %s may not be empty, it is missing: %s', (message, isMissing) => {
	const { isPartMissing } = itemParametersOf(contextFor({ ...JSON_ITEM, empty: '' }, { message }), 1);
	expect(isPartMissing('message', undefined, false)).toBe(isMissing);
});

const name = fc.constantFrom('phone', 'First name', 'a-b', 'ğ', '0', 'toString');
const reference = fc.oneof(
	name.map((field) => `.${field}`),
	name.map((field) => `["${field}"]`),
	name.map((field) => `['${field}']`),
);
const field = fc
	.tuple(fc.constantFrom('', ' ', '\n', '  '), fc.array(reference, { minLength: 1, maxLength: 2 }))
	.map(([space, references]) => `{{${space}$json${references.join('')}${space}}}`);
const text = fc.oneof(
	fc.string({ unit: 'grapheme', maxLength: 8 }),
	fc.constantFrom('{', '}', '{{', '}}', '\\', '"', "'", '`', '${x}', '\r\n', '\u2028', ' ', '='),
);
const expressionText = fc
	.array(fc.oneof(field, field, text), { maxLength: 4 })
	.map((parts) => `=${parts.join('')}`)
	// n8n takes a text such as toString for the method of that name.
	.filter((expression) => !(expression.slice(1) in {}));
const fieldValue = fc.oneof(
	fc.string({ unit: 'grapheme' }),
	fc.integer(),
	fc.double(),
	fc.constantFrom(NaN, -0, true, false, null, [], ['a'], {}, { phone: 'nested' }, { 'First name': 0 }),
);

test('whatever the expression and the item: what n8n reads is read', () => {
	const item = fc.dictionary(name, fieldValue, { minKeys: 3 });
	const parameters = fc.record({
		message: expressionText,
		options: fc.record({ requestId: expressionText, skipTags: fc.array(expressionText, { maxLength: 2 }) }),
	});
	fc.assert(
		fc.property(item, parameters, (json, own) => {
			const read = readBoth(json as IDataObject, own as INodeParameters);
			expect(read.own).toEqual(read.byN8n);
		}),
		{ numRuns: 200 },
	);
});

test('whatever the expression and the item: a text shows that no part is missing only when none is', () => {
	const computed = fc.constantFrom(
		'{{ $json.phone + 1 }}',
		'{{ $json.nope * 2 }}',
		'{{ null }}',
		'{{ " " }}',
	);
	const message = fc.array(fc.oneof(field, computed, text), { maxLength: 3 });
	fc.assert(
		fc.property(fc.dictionary(name, fieldValue), message, (json, parts) => {
			const missing = outcomeOf(() => partMissing(json as IDataObject, `=${parts.join('')}`));
			// n8n refuses what is no expression, and says why.
			fc.pre('value' in missing);
			expect(missing.value.isMissing).toBe(missing.value.isMissingByParts);
		}),
		{ numRuns: 300 },
	);
});
