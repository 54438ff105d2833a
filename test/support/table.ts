/** A table in Markdown, aligned as Prettier does. */
export function table(headings: string[], rows: string[][]): string {
	const widths = headings.map((heading, column) =>
		Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
	);
	const line = (cells: string[], fill = ' '): string =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
	const rule = line(
		headings.map(() => ''),
		'-',
	);
	return [line(headings), rule, ...rows.map((row) => line(row))].join('\n');
}
