import { textsOf } from './pageTexts';
import type { InChat, Question } from './question';

/** Creates a signed link to the question page with these query parameters. */
export type LinkTo = (query: Record<string, string>) => string;

/** The text to send: the question, followed by a link for each answer. The service has no buttons. */
export function messageWith(question: Question, linkTo: LinkTo): string {
	return withEnd(question, linksOf(question, linkTo));
}

/** The text to send if the answer can be written in the chat: how to answer, and one link. */
export function messageForChat(question: Question, { code, responders }: InChat, link: string): string {
	const { reply, texts } = question;
	const { replyFreelyText, codeText, linkText, chatOnlyLinkText } = textsOf({ texts });
	const answers = answersIn(question);
	const how = answers.length > 0 ? howToReply(answers, question) : replyFreelyText;
	const openLabel = reply.type === 'approval' ? linkText : reply.link;
	const label = responders.length > 0 ? chatOnlyLinkText : openLabel;
	return withEnd(question, [`${how} ${withValue(codeText, 'code', `*${code}*`)}`, `${label}: ${link}`]);
}

/** The answers to choose from; none if any text is one. */
function answersIn({ reply }: Question): string[] {
	if (reply.type !== 'approval') return reply.fields.flatMap(({ choices }) => choices);
	return [reply.approve, ...(reply.decline === undefined ? [] : [reply.decline])];
}

function howToReply(answers: string[], { texts }: Question): string {
	const { replyText, orText } = textsOf({ texts });
	const marked = answers.map((answer) => `*${answer}*`);
	const last = marked.pop() ?? '';
	const list = marked.length > 0 ? `${marked.join(', ')} ${orText} ${last}` : last;
	return withValue(replyText, 'answers', list);
}

/** A text with a value at its place, or at its end if the user left the place out. */
function withValue(text: string, name: string, value: string): string {
	const place = `{${name}}`;
	return text.includes(place) ? text.split(place).join(value) : `${text} ${value}`;
}

function withEnd({ message, isAttributed, texts }: Question, lines: string[]): string {
	return [message, ...lines, ...(isAttributed ? [textsOf({ texts }).attribution] : [])].join('\n\n');
}

function linksOf({ reply }: Question, linkTo: LinkTo): string[] {
	if (reply.type !== 'approval') return [`${reply.link}: ${linkTo({})}`];
	const approve = `${reply.approve}: ${linkTo({ approved: 'true' })}`;
	return reply.decline === undefined
		? [approve]
		: [approve, `${reply.decline}: ${linkTo({ approved: 'false' })}`];
}
