import ts from 'typescript';

import { textOf } from './pages';

/** The properties and constants that hold what to do or a label, not what happened. */
const ADVICE_NAMES = [
	'description',
	'displayName',
	'advice',
	'SECRET_ADVICE',
	'OBJECT_ADVICE',
	'FILE_ADVICE',
	'ENGINE_ADVICE',
	'REQUEST_ID_ADVICE',
	'SHARE_ADVICE',
	'TAKEN_ADVICE',
	'SECRET_IN_URL_ADVICE',
];

/** At which place a call of that name takes what to do. */
const ADVICE_ARGUMENT: Record<string, number> = { InvalidInput: 1 };

/**
 * The texts with words in them that a file can show as what happened, each part of a template by itself. Texts that say
 * what to do are left out.
 */
export function messagesIn(file: string): string[] {
	return textsIn(sourceOf(file));
}

/** What a file says of values that it refuses: each part of the first text that it gives `InvalidInput`. */
export function refusalsIn(file: string): string[] {
	const refusals: string[] = [];
	const visit = (node: ts.Node): void => {
		const isRefusal = ts.isNewExpression(node) && node.expression.getText() === 'InvalidInput';
		const said = isRefusal ? node.arguments?.[0] : undefined;
		if (said) refusals.push(...textsIn(said));
		ts.forEachChild(node, visit);
	};
	visit(sourceOf(file));
	return refusals;
}

function sourceOf(file: string): ts.SourceFile {
	return ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true);
}

function textsIn(part: ts.Node): string[] {
	const texts: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node) || isAdvice(node)) return;
		if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) texts.push(node.text);
		ts.forEachChild(node, visit);
	};
	visit(part);
	return texts.filter((text) => /\p{L}+ \p{L}+/u.test(text)).map((text) => text.trim());
}

function isAdvice(node: ts.Node): boolean {
	if (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) {
		return ADVICE_NAMES.includes(node.name.getText());
	}
	const { parent } = node;
	if (!parent || (!ts.isNewExpression(parent) && !ts.isCallExpression(parent))) return false;
	const place = ADVICE_ARGUMENT[parent.expression.getText()];
	return place !== undefined && parent.arguments?.[place] === node;
}
