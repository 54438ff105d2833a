import ts from 'typescript';

import { textOf } from './pages';

/** The properties and constants that hold what to do or a label, not what happened. */
const ADVICE_NAMES = [
	'description',
	'displayName',
	'advice',
	'OBJECT_ADVICE',
	'FILE_ADVICE',
	'REQUEST_ID_ADVICE',
];

/** At which place a call of that name takes what to do. */
const ADVICE_ARGUMENT: Record<string, number> = { InvalidInput: 1 };

/**
 * The texts with words in them that a file can show as what happened, each part of a template by itself. Texts that say
 * what to do are left out.
 */
export function messagesIn(file: string): string[] {
	const texts: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node) || isAdvice(node)) return;
		if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) texts.push(node.text);
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true));
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
