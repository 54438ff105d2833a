// cspell:words labelledby
/** What n8n and the service exchanged: grouped by message, each line in words, with the bodies on demand. */
import { attempt, byId, drawList, element, exactTimeOf, focusable, request } from './dom.js';

/** The opened details, which stay open when they are drawn again. */
const opened = new Set();

const seconds = (ms) => (ms < 1000 ? `${ms}\u00a0ms` : `${(ms / 1000).toFixed(1)}\u00a0s`);

function lineItem(line) {
	const { key, words, tone, note, at, ms, what, status, attempts, eventId, execution } = line;
	const facts = [what, status, attempts > 1 && `${attempts} attempts`, ms !== null && seconds(ms)];
	const summary = element(
		'summary',
		{},
		element('span', { className: 'words', textContent: words }),
		element('time', { className: 'quiet', textContent: at === null ? 'now' : exactTimeOf(at) }),
		element('code', { className: 'quiet', textContent: facts.filter(Boolean).join(' · ') }),
		...(note ? [element('span', { className: 'note quiet', textContent: note })] : []),
	);
	const parts = element('div', { className: 'parts' });
	const created = element(
		'details',
		{ open: opened.has(key), className: tone },
		focusable(key, summary),
		parts,
	);
	const show = async () => {
		if (!created.open || parts.children.length > 0) return;
		const shown = await request(`/phone/parts?key=${encodeURIComponent(key)}`);
		const actions = eventId ? actionsOf(line) : [];
		parts.replaceChildren(...actions, ...shown.flatMap(partOf));
	};
	created.addEventListener('toggle', () => {
		opened[created.open ? 'add' : 'delete'](key);
		void attempt(show);
	});
	return created;
}

function actionsOf({ key, eventId, execution }) {
	const again = element('button', { type: 'button', className: 'pill brand', textContent: 'Deliver again' });
	again.addEventListener(
		'click',
		() => void attempt(async () => await request('/phone/deliverAgain', { eventId })),
	);
	const href = `/phone/execution?event=${encodeURIComponent(eventId)}`;
	const link = execution ? [element('a', { href, target: '_blank', textContent: 'Execution in n8n' })] : [];
	const advice =
		'Delivered again, an event that n8n took starts nothing.' +
		(execution ? ' n8n may ask you to sign in: the terminal shows how.' : '');
	return [
		element('p', {}, focusable(`again ${key}`, again), ...link),
		element('p', { className: 'quiet', textContent: advice }),
	];
}

function partOf({ title, text }) {
	// A keyboard scrolls what has the focus.
	const shown = element('pre', { textContent: text, tabIndex: 0, role: 'group', ariaLabel: title });
	return [element('h4', { textContent: title }), shown];
}

/** The lines of one message together, at the place of the first; others that follow one another, too. */
function groupsOf(timeline) {
	const groups = [];
	for (const line of [...timeline].reverse()) {
		const { message } = line;
		const last = groups.at(-1);
		const group = message ? groups.find(({ key }) => key === message.key) : last && !last.message && last;
		if (group) {
			group.lines.push(line);
			if (message && group.message.text === '') group.message.text = message.text;
		} else groups.push({ key: message?.key ?? `from ${line.key}`, message, lines: [line] });
	}
	return groups.reverse();
}

function groupItem({ key, message, lines }) {
	const title = message
		? [
				element('span', {
					className: 'who',
					textContent: message.isOwn ? `n8n to ${message.chat}` : `${message.chat} writes`,
				}),
				element('span', { className: 'quiet cut', textContent: message.text || 'a file' }),
			]
		: [element('span', { textContent: 'About the account' })];
	const heading = element('h3', { id: `group ${key}` }, ...title);
	const group = element('article', { className: message ? (message.isOwn ? 'own' : '') : 'other' }, heading);
	group.setAttribute('aria-labelledby', heading.id);
	group.tabIndex = -1;
	group.append(...lines.map(lineItem));
	return group;
}

export function drawTimeline({ timeline, hasExecutions }) {
	const lines = timeline.map((line) => ({ ...line, execution: hasExecutions }));
	byId('no-timeline').hidden = lines.length > 0;
	byId('timeline').hidden = lines.length === 0;
	drawList(byId('timeline'), groupsOf(lines), groupItem);
}
