import { convertInline } from './markdownInline';

/** The code block that the current line is in. */
interface CodeBlock {
	/** The line of backticks or tildes that opened it. Only as many of them end it. */
	fence: string;
	isQuoted: boolean;
}

/** Lines of text that belong together, after the marks of their list item or quote. */
interface Paragraph {
	prefix: string;
	lines: string[];
}

/** The marks at the start of a line: of quotes, of list items and of the lists in them. */
const LINE_MARKS = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]+\S))[ \t]?/y;

const FENCE = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;

const HEADING = /^ {0,3}#{1,6}[ \t]+(?=\S)/;

/** The line under a heading. */
const UNDERLINE = /^ {0,3}(?:={2,}|-{2,})[ \t]*$/;

const INDENTED = /^(?: {4}|\t)/;

/**
 * Converts Markdown (CommonMark with strike-through) to the marks of the channel, which the API spec does not describe:
 * `*bold*`, `_italic_`, `~strike-through~`. Headings become bold, `[text](address)` becomes `text (address)`. Code is left
 * untouched. The time is proportional to the length of the text.
 */
export function toChannelMarks(markdown: string): string {
	const output: string[] = [];
	let paragraph: Paragraph | undefined;
	let codeBlock: CodeBlock | undefined;
	let isAfterBlank = true;
	let isInList = false;

	const endParagraph = (isHeading = false): void => {
		if (paragraph) output.push(paragraph.prefix + convertInline(paragraph.lines.join('\n'), isHeading));
		paragraph = undefined;
	};

	const addCode = (line: string, { fence, isQuoted }: CodeBlock): void => {
		const isEnd = endsCode(isQuoted ? withoutQuote(line) : line, fence);
		output.push(isEnd ? withBackticks(line) : line);
		if (isEnd) codeBlock = undefined;
	};

	const addLine = (line: string): void => {
		const wasAfterBlank = isAfterBlank;
		isAfterBlank = line.trim() === '';
		if (paragraph && isUnderlined(paragraph, line)) return endParagraph(true);
		if (isAfterBlank || isThematicBreak(line)) {
			endParagraph();
			output.push(line);
			return;
		}
		if (wasAfterBlank && !isInList && INDENTED.test(line)) {
			isAfterBlank = true;
			output.push(line);
			return;
		}
		const { prefix, rest } = withoutMarks(line);
		isInList = /[-.)]/.test(prefix) || (isInList && (!wasAfterBlank || /^[ \t]/.test(line)));
		const [, fence] = FENCE.exec(rest) ?? [];
		if (fence !== undefined) {
			endParagraph();
			codeBlock = { fence, isQuoted: prefix.includes('>') };
			output.push(prefix + withBackticks(rest));
		} else if (HEADING.test(rest)) {
			endParagraph();
			paragraph = { prefix, lines: [headingIn(rest)] };
			endParagraph(true);
		} else if (paragraph && prefix === '') {
			paragraph.lines.push(rest);
		} else {
			endParagraph();
			paragraph = { prefix, lines: [rest] };
		}
	};

	for (const line of markdown.split(/\r\n?|\n/)) {
		if (codeBlock?.isQuoted && !line.trimStart().startsWith('>')) codeBlock = undefined;
		if (codeBlock) addCode(line, codeBlock);
		else addLine(line);
	}
	endParagraph();
	return output.join('\n');
}

/** Separates the marks of quotes and list items from the text. Every bullet becomes a hyphen. */
function withoutMarks(line: string): { prefix: string; rest: string } {
	let prefix = '';
	let end = 0;
	LINE_MARKS.lastIndex = 0;
	for (let match = LINE_MARKS.exec(line); match; match = LINE_MARKS.exec(line)) {
		prefix += match[0].replace(/[+*]/, '-');
		end = LINE_MARKS.lastIndex;
	}
	return { prefix, rest: line.slice(end) };
}

/** Whether a line makes a heading of the paragraph above. Below a list item, only one that is indented like its text does. */
function isUnderlined({ prefix }: Paragraph, line: string): boolean {
	const isInside = !prefix.includes('>') && line.slice(0, prefix.length).trim() === '';
	return isInside && UNDERLINE.test(line.slice(prefix.length));
}

/** Three or more of the same mark, with or without spaces between them. */
function isThematicBreak(line: string): boolean {
	return /^(?:-{3,}|\*{3,}|_{3,})$/.test(line.replace(/[ \t]/g, ''));
}

/** The text of a heading, without the number signs around it. */
function headingIn(line: string): string {
	const text = line.replace(HEADING, '').trimEnd();
	let end = text.length;
	while (text[end - 1] === '#') end--;
	const isClosed = /[ \t]/.test(text.charAt(end - 1));
	return isClosed ? text.slice(0, end).trimEnd() : text;
}

/** The text of a line in a quote, which begins with the marks. */
function withoutQuote(line: string): string {
	return line.replace(/[\s>]+/, '');
}

function endsCode(line: string, fence: string): boolean {
	const mark = line.trim();
	return mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length);
}

/** The channel knows only fences of backticks. */
function withBackticks(line: string): string {
	return line.replace(/~{3,}/, '```');
}
