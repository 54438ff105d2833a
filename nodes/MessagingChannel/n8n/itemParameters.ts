import type { IDataObject, IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';

import { isRecord } from '../api/values';

/** What opens the parameters of a node. */
type ParametersContext = IExecuteFunctions | ISupplyDataFunctions;

/** The parameters of the node for one item. */
export interface ItemParameters {
	/** Reads a parameter, with its expressions resolved. */
	read(name: string, fallback: unknown): unknown;
	/**
	 * Whether a text parameter has an expression beside other text that gives nothing, such as one with a misspelled field. n8n
	 * leaves it out of the text.
	 *
	 * @param value what was read of the parameter, with or without spaces around it
	 * @param mayBeEmpty whether it may give an empty text, which it always may where it decides so, or is an entry of a list
	 */
	isPartMissing(name: string, value: unknown, mayBeEmpty: boolean): boolean;
	/**
	 * What a parameter has in place of a text because an expression in it gives an object or a date that is none; undefined if
	 * it has no such expression.
	 *
	 * @param value what was read of the parameter
	 */
	garbledText(name: string, value: unknown): string | undefined;
	/** Whether a parameter has an expression by which the model of an agent can fill it in. */
	isFromModel(name: string): boolean;
}

/** The name of a field, as the editor writes it when somebody drags one into an expression. */
const NAME = String.raw`\.[A-Za-z_]\w*|\['[^'\\{}\n]*'\]|\["[^"\\{}\n]*"\]`;

/** A field of the item, such as `{{ $json.phone }}` or `{{ $json.customer['First name'] }}`. */
const ITEM_FIELD = String.raw`\{\{\s*\$json(?:${NAME})+\s*\}\}`;

/** Text with fields of the item, and nothing that n8n would have to evaluate. */
const TEXT_WITH_FIELDS = new RegExp(String.raw`^(?:[^{}\\]|${ITEM_FIELD})*$`);
const ONE_FIELD = new RegExp(`^${ITEM_FIELD}$`);
const EACH_FIELD = new RegExp(ITEM_FIELD, 'g');
const EACH_NAME = new RegExp(NAME, 'g');

/** An expression in a text, as n8n finds it. */
const EACH_PART = /(?<!\\)\{\{.*?(?<!\\)\}\}/gs;

/**
 * What n8n writes into a text for a function, such as one without its parentheses, for an object and for a date that is none.
 * It is the same for all items. Outside of a text, n8n refuses a function, and its engines differ in the others.
 */
const NO_TEXT = /\{|=>|\[object |Invalid /;

/** What a text has for an object, and for a date that is none. */
const GARBLED = /\[object Object\]|Invalid Date(Time)?/;

/** An expression that decides what it gives, so that an empty text is meant: `a ?? b`, `a || b` or `a ? b : c`. */
const DECIDES = /\?(?!\.)|\|\|/;

/** What the model fills in. n8n takes it in upper and lower case. */
const FROM_AI = /\$fromAI/i;

/** Where n8n also puts what the model writes into the call of a tool, as in the item of the tool, and in other parameters. */
const OF_TOOL_CALL = /\$(fromAI|json|data|input|items|parameter|thisItem|tool|node\b.*\.parameter)/i;

/** Stands for a value that n8n has to resolve. */
const UNKNOWN = Symbol('unknown');

/**
 * Opens the parameters of an item. n8n starts its sandbox for each expression, which takes about as long as the request. Most
 * expressions only name fields of the item, so these are filled in without it.
 *
 * @param isTool whether an agent uses the node as a tool
 */
export function itemParametersOf(
	context: ParametersContext,
	itemIndex: number,
	isTool = false,
): ItemParameters {
	const fieldOf = fieldReaderOf(context, itemIndex);
	const rawOf = (name: string, fallback: unknown) =>
		context.getNodeParameter(name, itemIndex, fallback, { rawExpressions: true });
	const given = (part: string): unknown => {
		const own = filledIn(part, fieldOf);
		return own === UNKNOWN ? context.evaluateExpression(part, itemIndex) : own;
	};
	const garbled = (raw: unknown, value: unknown): string | undefined => {
		if (typeof raw === 'object' && raw !== null)
			return Object.entries(raw)
				.map(([key, inner]) => garbled(inner, (value as IDataObject | null | undefined)?.[key]))
				.find(Boolean);
		const [found] = (typeof value === 'string' && GARBLED.exec(value)) || [];
		if (found === undefined || typeof raw !== 'string' || !raw.startsWith('=')) return undefined;
		// A field of the item can hold such a text.
		const isGarbled = (part: string) => filledIn(part, fieldOf) === UNKNOWN && isNoText(given(part));
		return [...raw.slice(1).matchAll(EACH_PART)].some(([part]) => isGarbled(part)) ? found : undefined;
	};
	return {
		read(name, fallback) {
			const value = resolved(rawOf(name, fallback), fieldOf);
			return value === UNKNOWN ? context.getNodeParameter(name, itemIndex, fallback) : value;
		},
		isPartMissing(name, value, mayBeEmpty) {
			const raw = rawOf(name, '');
			if (typeof raw !== 'string' || !raw.startsWith('=')) return false;
			const text = raw.slice(1);
			const parts = [...text.matchAll(EACH_PART)];
			const [first] = parts.map(([part]) => part);
			if (text === first || isMoreThanRest(value, text, first)) return false;
			return parts.some(({ 0: part, index }) => {
				const value = given(part);
				if (value === '') return !mayBeEmpty && !DECIDES.test(part) && !isAlone(text, index, part);
				return value === undefined || value === null || Number.isNaN(value);
			});
		},
		garbledText(name, value) {
			const mayBe = typeof value === 'string' ? GARBLED.test(value) : isRecord(value);
			return mayBe ? garbled(rawOf(name, ''), value) : undefined;
		},
		isFromModel: (name) => (isTool ? OF_TOOL_CALL : FROM_AI).test(JSON.stringify(rawOf(name, ''))),
	};
}

function isNoText(given: unknown): boolean {
	return typeof given === 'string' ? /^Invalid Date(Time)?$/.test(given) : GARBLED.test(String(given));
}

/** Whether a part of a text is a whole entry of a list. */
function isAlone(text: string, index: number, part: string): boolean {
	return (
		/(^|[,;\n[])\s*["']?$/.test(text.slice(0, index)) &&
		/^["']?\s*([,;\n\]]|$)/.test(text.slice(index + part.length))
	);
}

/** Whether a text shows that its only expression gave something, so that it need not be evaluated again. */
function isMoreThanRest(value: unknown, text: string, part: string | undefined): boolean {
	if (typeof value !== 'string' || part === undefined) return false;
	const rest = text.replace(part, '');
	// The rest has a second expression, or text that n8n changes.
	if (/[{}\\]/.test(rest) || NO_TEXT.test(value)) return false;
	return value.trim() !== rest.trim();
}

function fieldReaderOf(context: ParametersContext, itemIndex: number): (names: string[]) => unknown {
	let json: unknown = UNKNOWN;
	return (names) => {
		if (json === UNKNOWN) json = context.getWorkflowDataProxy(itemIndex).$json;
		return names.reduce(
			(value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
			json,
		);
	};
}

/** The parameter with the fields of the item filled in; UNKNOWN if it has another expression. */
function resolved(raw: unknown, fieldOf: (names: string[]) => unknown): unknown {
	if (typeof raw === 'string') return raw.startsWith('=') ? filledIn(raw.slice(1), fieldOf) : raw;
	if (Array.isArray(raw)) {
		const values = raw.map((value) => resolved(value, fieldOf));
		return values.includes(UNKNOWN) ? UNKNOWN : values;
	}
	if (typeof raw !== 'object' || raw === null) return raw;
	const entries = Object.entries(raw).map(([key, value]) => [key, resolved(value, fieldOf)] as const);
	return entries.some(([, value]) => value === UNKNOWN) ? UNKNOWN : Object.fromEntries(entries);
}

function filledIn(expression: string, fieldOf: (names: string[]) => unknown): unknown {
	if (!TEXT_WITH_FIELDS.test(expression)) return UNKNOWN;
	const valueOf = (field: string): unknown => {
		const names = [...field.matchAll(EACH_NAME)];
		const value = fieldOf(names.map(([name]) => name.replace(/^\.|^\[.|.\]$/g, '')));
		// n8n says what is wrong with a field that is missing, and makes text of lists and dates.
		return isScalar(value) ? value : UNKNOWN;
	};
	if (ONE_FIELD.test(expression)) return valueOf(expression);
	let isKnown = true;
	const text = expression.replaceAll(EACH_FIELD, (field) => {
		const value = valueOf(field);
		isKnown &&= value !== UNKNOWN;
		return String(value);
	});
	return isKnown ? text : UNKNOWN;
}

function isScalar(value: unknown): boolean {
	return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
