import { decodedEntity } from './htmlEntities';

/** What Markdown begins with. Where such a sign means itself, a noncharacter of Unicode stands for it until the end. */
const SIGNS = '*_~#`[\\&';
const FIRST_STAND_IN = 0xfdd0;

/** Stands for the mark of bold text until the end, because the text of a heading loses its own. */
const BOLD = '\ufddf';

const FENCE = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/;

const INDENTED = /^(?: {4}|\t)/;

const LIST_ITEM = /^[ \t>]*(?:[-+*]|\d{1,9}[.)])[ \t]/;

const ASTERISK_ITEM = /^([ \t>]*)\*(?=[ \t])/;

const ITEM_WITH_NUMBER = /^[ \t>]*\*[ \t*_]+[\p{N}\p{Sc}]/u;

const HEADING =
	/^((?: {0,3}>)* {0,3}(?:(?:[-+*]|\d{1,9}[.)])[ \t]{1,4})?)#{1,6}[ \t]+(?=\S)(.*[\p{L}\p{N}].*)$/gmu;

const ESCAPED = /\\([!-/:-@[\]^_`{-~])/;

const ENTITY = /&#?\w+;/;

/** What is not searched for marks. A link right behind a word is none without a real address: f[i](x) is a call. */
const PROTECTED = oneOf(
	/(?<code>(?<!`)(?<ticks>`+)(?!`)(?:[^`\n]|\n(?![ \t]*\n)|(?<!`)(?!\k<ticks>(?!`))`+(?!`))+\k<ticks>(?!`))/u,
	/(?!(?<=[\w)\]])\[[^\][]*\]\([^./:#@()]*\))(?:(?<![\p{L}\p{N}])!)?\[(?<label>(?:[^[\]\\`<\n]|\\.|`[^`\n]*`|<(?![/!?a-z]))*)\]\([ \t]*(?:<(?<quoted>[^<>\\\n]+)>|(?<bare>[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*))(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\)/u,
	/(?<![\p{L}\p{N}])(?<url>(?:https?:\/\/|www\.)[!-;=?-~]*[a-z\d/#&=%+$@-](?:(?<=&#?\w+);)?)/u,
	/(?<tag><[/!?]?[a-z][^<>\n]*>)/u,
	/(?<backslashes>\\\\)/u,
	ESCAPED,
	ENTITY,
);

const WORD = '\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{N}\\u0300-\\u036f';

const OPENING_QUOTE = `(?<=(?:^|[\\s\\p{Ps}])["'])`;

/** Bold text begins after anything but what can be multiplied. Many languages write it without a space before it, or after it. */
const BEFORE_BOLD = `(?:(?<![${WORD})\\]}!%.'"\`])(?<![${WORD})]\\|)|${OPENING_QUOTE})`;

const afterBold = (mark: string): string =>
	`(?:(?![${WORD}])|(?<=[:.!?]${mark})|(?<=${mark}[\\p{L}\\p{M}]{2,}${mark})(?=\\p{L}))`;

/** Separates words: spaces, some signs, other marks and the marks of direction. */
const APART = `[\\s:,;_~${BOLD}\\u200e\\u200f\\u2066-\\u2069]`;

const NOT_ASCII = '(?![\\0-\\x7f])';

const EMOJI = '\\p{So}\\p{Emoji_Modifier}\\ufe0f';

/** A single mark counts only apart from words. */
const BEFORE = `(?:(?<=^|${APART}|${NOT_ASCII}[${EMOJI}\\p{Pd}\\p{Po}]|[\\p{Ps}\\p{Pi}])|${OPENING_QUOTE})`;

const AFTER = `(?=["'.,:;!?]*(?:$|${APART}|\\*\\*(?!\\*)|${NOT_ASCII}[${EMOJI}\\p{P}]|[\\p{Pe}\\p{Pf}])|['’-]\\p{L})`;

/** There are letters in italics, but no sums. */
const italic = (mark: string): RegExp =>
	new RegExp(
		`${BEFORE}${mark}(?![\\s.,;:!?)\\]}/\\\\|%&<>-])(?=[^${mark}\\n]*\\p{L})([^${mark}\\n+=^]+)(?<![\\s([{/\\\\|<&@#$-])${mark}${AFTER}`,
		'gmu',
	);

const bold = (sign: string, before: string, after: string): RegExp =>
	new RegExp(
		`${before}(?<!${sign}${sign})${sign}{2}(?![\\s${sign}])((?:[^${sign}\\n]|(?<!/)${sign}(?!${sign}))+?)(?<!\\s)${sign}{2}(?!${sign}${sign})${after}`,
		'gmu',
	);

/** The patterns of marked text with the channel's marks. Italics can be in bold text, or around it. */
const MARKS: Array<[RegExp, string]> = [
	[italic('\\*'), '_'],
	[bold('\\*', BEFORE_BOLD, afterBold('\\*\\*')), BOLD],
	[bold('_', BEFORE, AFTER), BOLD],
	[bold('~', BEFORE_BOLD, afterBold('~~')), '~'],
	[italic('_'), '_'],
	[italic('\\*'), '_'],
];

/**
 * Converts Markdown to the marks of the channel, which the API spec does not describe: `*bold*`, `_italic_`,
 * `~strike-through~`. Only what is certainly meant so is converted, within a line. The rest stays as it is: it could be
 * arithmetic, a table or code. The time is proportional to the length of the text.
 */
export function toChannelMarks(markdown: string): string {
	return withMarks(withBlocks(markdown.split(/\r\n?|\n/)))
		.replace(HEADING, (_, prefix: string, title: string) => prefix + headingOf(title))
		.replace(/[\ufdd0-\ufdd7]/g, (standIn) => SIGNS.charAt(standIn.charCodeAt(0) - FIRST_STAND_IN))
		.replaceAll(BOLD, '*');
}

/** Hides the code blocks among the lines, and makes a hyphen of an asterisk that begins a list item. */
function withBlocks(lines: string[]): string {
	let fence = '';
	let isAfterBlank = true;
	let isInList = false;
	let isBelowText = false;

	const converted = (line: string): string => {
		const text = line.replace(/^[ \t>]+/, '').trimEnd();
		if (fence !== '') {
			if (text.startsWith(fence) && text === text.charAt(0).repeat(text.length)) fence = '';
			return hidden(line);
		}
		fence = FENCE.exec(line)?.[1] ?? '';
		if (fence !== '' || (isAfterBlank && !isInList && INDENTED.test(line))) return hidden(line);
		isAfterBlank = text === '';
		// Below a line of text, an asterisk before a number multiplies it.
		if (isBelowText && ITEM_WITH_NUMBER.test(line)) return line;
		isInList = LIST_ITEM.test(line) || (isInList && (isAfterBlank || /^\s/.test(line)));
		isBelowText = !isAfterBlank && !isInList && !text.endsWith(':');
		const isRule = !/[^*\s]/.test(text);
		return isRule ? line : line.replace(ASTERISK_ITEM, '$1-');
	};

	return lines.map(converted).join('\n');
}

function withMarks(text: string): string {
	const searched = text.replace(PROTECTED, (...match) =>
		protectedText(match[0] as string, match.at(-1) as Record<string, string | undefined>),
	);
	return MARKS.reduce(
		(all, [pattern, mark]) => all.replace(pattern, (_, inner: string) => hidden(mark) + inner + hidden(mark)),
		searched,
	);
}

function protectedText(match: string, groups: Record<string, string | undefined>): string {
	const { code, label, quoted, bare, url, tag, backslashes } = groups;
	if (code ?? tag ?? backslashes) return hidden(match);
	if (label === undefined) return hidden(plain(url ?? match));
	const address = quoted?.replaceAll(' ', '%20') ?? bare ?? '';
	const target = hidden(plain(address));
	return label.trim() === '' || label === address ? target : `${hidden(withMarks(label))} (${target})`;
}

/** The text without backslashes and entities. */
function plain(text: string): string {
	return text.replace(oneOf(ESCAPED, ENTITY), (match, sign?: string) => sign ?? decodedEntity(match));
}

/** The whole text in bold, without the number signs behind it. */
function headingOf(title: string): string {
	const text = title.trimEnd().replace(/[ \t]#+$/, '');
	return BOLD + text.trimEnd().replaceAll(BOLD, '') + BOLD;
}

function hidden(text: string): string {
	return text.replace(/[*_~#`[\\&]/g, (sign) => String.fromCharCode(FIRST_STAND_IN + SIGNS.indexOf(sign)));
}

function oneOf(...patterns: RegExp[]): RegExp {
	return new RegExp(patterns.map(({ source }) => source).join('|'), 'giu');
}
