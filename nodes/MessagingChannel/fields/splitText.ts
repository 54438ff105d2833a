/** How many characters after a part the segmenter reads, to see whether a sentence, word or character ends there. */
const CONTEXT_LENGTH = 64;

const PARAGRAPH_END = /\n[^\S\n]*\n/g;

/** A space that is not part of a combined character. */
const SPACE = /\s(?![\p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}\u200d])/gu;

/** Spaces without a width are no white space. */
const SHOWS_SOMETHING = /[^\s\p{Cf}\p{Cc}]/u;

const BLANK_LINES = /(?:[^\S\n]*\n)*/y;

/** The space between two parts. The indentation of a line belongs to the line. */
const SPACE_BETWEEN =
	/[^\S\n]*\n(?:[^\S\n]*\n)*|(?:\s(?![\p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}\u200d]))*/uy;

/**
 * Splits a text into parts for a message each. It is cut between paragraphs, else between lines, sentences or words, and
 * within a word only if the word alone is too long. The space at a cut is left out. The time is proportional to the length of
 * the text.
 *
 * @param maxLength the most characters of a part, in UTF-16 units as n8n's expressions count them. Only a single
 *   character of more units, such as an emoji of several, makes a part longer
 */
export function splitText(text: string, maxLength: number): string[] {
	if (text.length <= maxLength) return [text];
	const parts: string[] = [];
	const end = text.trimEnd().length;
	let start = endOf(BLANK_LINES, text, 0);
	while (start < end) {
		const window = text.slice(start, Math.min(start + maxLength + CONTEXT_LENGTH, end));
		const length = window.length <= maxLength ? window.length : cutIn(window, maxLength);
		const part = window.slice(0, length).trimEnd();
		if (SHOWS_SOMETHING.test(part)) parts.push(part);
		start = endOf(SPACE_BETWEEN, text, start + length);
	}
	return parts;
}

function endOf(pattern: RegExp, text: string, start: number): number {
	pattern.lastIndex = start;
	pattern.exec(text);
	return pattern.lastIndex;
}

/** Where to cut, at most at this length. */
function cutIn(window: string, maxLength: number): number {
	return (
		lastStartOf(PARAGRAPH_END, window, maxLength) ||
		lastStartOf(/\n/g, window, maxLength) ||
		sentenceEnd(window, maxLength) ||
		lastStartOf(SPACE, window, maxLength) ||
		startOfSegment('word', window, maxLength) ||
		startOfSegment('grapheme', window, maxLength) ||
		firstCharacter(window)
	);
}

/** Where the last match begins that begins at this position or before it; 0 without one. */
function lastStartOf(pattern: RegExp, window: string, maxLength: number): number {
	let start = 0;
	for (const { index } of window.matchAll(pattern)) {
		if (index > maxLength) break;
		start = index;
	}
	return start;
}

/** Where the last whole sentence ends that is short enough; 0 without one. */
function sentenceEnd(window: string, maxLength: number): number {
	let end = 0;
	for (const { segment, index } of segmentsOf('sentence', window)) {
		const sentenceLength = index + segment.trimEnd().length;
		if (sentenceLength > maxLength) break;
		// A question mark in an address ends no sentence, but an ideographic full stop has no space after it.
		const isEnd =
			/\s/.test(window.charAt(sentenceLength)) || /[^!-~]/.test(window.charAt(sentenceLength - 1));
		if (isEnd) end = sentenceLength;
	}
	return end;
}

/** Where the word or character begins that this position is in. */
function startOfSegment(granularity: 'word' | 'grapheme', window: string, position: number): number {
	return segmentsOf(granularity, window).containing(position)?.index ?? 0;
}

function firstCharacter(window: string): number {
	return segmentsOf('grapheme', window).containing(0)?.segment.length ?? window.length;
}

function segmentsOf(granularity: 'sentence' | 'word' | 'grapheme', text: string): Intl.Segments {
	return new Intl.Segmenter('en', { granularity }).segment(text);
}
