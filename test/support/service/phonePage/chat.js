// cspell:words noopener
/** The messages of the open chat. */
import { byId, dayOf, drawList, element, ticks, timeOf } from './dom.js';

/** The channel's marks, and links, which lead to the answer pages of n8n. */
const MARKS = [
	[/```([\s\S]+?)```/, 'code'],
	[/(https?:\/\/[^\s]+)/, 'a'],
	[/(?<![\p{L}\p{N}*])\*(?!\s)([^*\n]+?)(?<!\s)\*(?![\p{L}\p{N}*])/u, 'strong'],
	[/(?<![\p{L}\p{N}_])_(?!\s)([^_\n]+?)(?<!\s)_(?![\p{L}\p{N}_])/u, 'em'],
	[/(?<![\p{L}\p{N}~])~(?!\s)([^~\n]+?)(?<!\s)~(?![\p{L}\p{N}~])/u, 's'],
];

/** The text as the channel shows it; what looks like HTML stays text. */
function marked(text) {
	const found = MARKS.map(([pattern, tag]) => ({ match: pattern.exec(text), tag }))
		.filter(({ match }) => match)
		.sort((one, other) => one.match.index - other.match.index)[0];
	if (!found) return text === '' ? [] : [text];
	const { match, tag } = found;
	const inside = tag === 'a' || tag === 'code' ? [match[1]] : marked(match[1]);
	const link = tag === 'a' ? { href: match[1], target: '_blank', rel: 'noopener' } : {};
	return [
		...marked(text.slice(0, match.index)),
		element(tag, link, ...inside),
		...marked(text.slice(match.index + match[0].length)),
	];
}

/** The text without the marks. */
export const unmarked = (text) => element('span', {}, ...marked(text)).textContent;

function fileOf({ name, mimetype }) {
	const src = `/phone/media?name=${encodeURIComponent(name)}`;
	if (mimetype.startsWith('audio/'))
		return element('audio', { src, controls: true, preload: 'metadata', ariaLabel: `Voice note ${name}` });
	const link = { href: src, target: '_blank' };
	if (!mimetype.startsWith('image/')) return element('a', link, name);
	// A picture that cannot be shown has its name instead.
	return element('a', link, element('img', { src, alt: name }));
}

function messageItem({ body, isOwn, file, at, status, day }) {
	if (day) return element('li', { className: 'day quiet' }, element('span', { textContent: day }));
	return element(
		'li',
		{ className: isOwn ? 'own' : '' },
		element('span', { className: 'unseen', textContent: isOwn ? 'n8n: ' : 'Customer: ' }),
		...(file ? [fileOf(file)] : []),
		...marked(body),
		element('small', {}, timeOf(at), ...(isOwn ? [' ', element('span', {}, ...ticks(status))] : [])),
	);
}

/** The messages with a line before the first of each day. */
function withDays(messages) {
	let last;
	return messages.flatMap((message) => {
		const day = dayOf(message.at);
		const isNew = day !== last;
		last = day;
		return isNew ? [{ key: `day ${day}`, day }, message] : [message];
	});
}

const list = byId('messages');
const toEnd = () => (list.scrollTop = list.scrollHeight);

/** Whether the last message stays in sight: somebody who reads further up is left there. */
let followsEnd = true;
let place = 0;
list.addEventListener('scroll', () => {
	const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 20;
	// What grows moves the end away, too: only who scrolls up leaves it.
	followsEnd = isAtEnd || (followsEnd && list.scrollTop >= place);
	place = list.scrollTop;
});
const follow = () => followsEnd && toEnd();
// A picture takes its place only when it is loaded.
list.addEventListener('load', follow, true);
// A chosen file and a long text take some of the list's height.
new ResizeObserver(follow).observe(list);

export function drawMessages(chatId, messages) {
	if (list.dataset.chat !== chatId) followsEnd = true;
	list.dataset.chat = chatId;
	// A changed tick is no new message.
	const entries = withDays(messages);
	drawList(
		list,
		entries.map(({ id, status, ...message }) => ({ key: `${chatId} ${id}`, ...message })),
		messageItem,
	);
	entries.forEach(({ isOwn, status }, place) => {
		if (isOwn) list.children[place].querySelector('small > span').replaceChildren(...ticks(status));
	});
	if (followsEnd) toEnd();
}
