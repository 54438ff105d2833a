import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '../../..');

/** Every text with words in it that the code which users get can show, with the file that it stands in. */
export function sentencesInCode(): Array<[file: string, text: string]> {
	return ['credentials', 'nodes']
		.flatMap((folder) =>
			readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
				join(folder, file),
			),
		)
		.filter((file) => file.endsWith('.ts'))
		.flatMap((file) => textsIn(file).map((text): [string, string] => [file, text]));
}

function textsIn(file: string): string[] {
	const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);
	const texts: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) texts.push(node.text);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return texts.filter((text) => /\p{L}+ \p{L}+/u.test(text));
}
