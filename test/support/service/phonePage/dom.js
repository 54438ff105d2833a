/** What the parts of the page build it with. */

export const byId = (id) => document.getElementById(id);

export async function request(path, argument) {
	const options = argument === undefined ? {} : { method: 'POST', body: JSON.stringify(argument) };
	const response = await fetch(path, options).catch(() => {
		throw new Error('The service does not answer.');
	});
	const answer = await response.json();
	if (!response.ok) throw new Error(answer.error);
	return answer;
}

export const control = async (method, argument) => (await request(`/control/${method}`, argument)).result;

/** Does what somebody asked for, and says why when it is not possible. */
export async function attempt(action) {
	byId('problem').textContent = '';
	try {
		await action();
		return true;
	} catch (error) {
		byId('problem').textContent = error.message;
		return false;
	}
}

export function element(tag, properties = {}, ...children) {
	const created = Object.assign(document.createElement(tag), properties);
	created.append(...children);
	return created;
}

/** An element that can have the focus, so that the next one in its place gets it. */
export function focusable(key, created) {
	created.dataset.key = key;
	return created;
}

/** What each list shows. */
const drawn = new Map();

/** Shows an element for each entry, and leaves those alone that are as before: they keep focus, selection and place. */
export function drawList(list, entries, create) {
	const before = drawn.get(list) ?? new Map();
	const now = new Map();
	for (const entry of entries) {
		const text = JSON.stringify(entry);
		const known = before.get(entry.key);
		now.set(entry.key, known?.text === text ? known : { text, shown: create(entry) });
	}
	drawn.set(list, now);
	const wanted = [...now.values()].map(({ shown }) => shown);
	const kept = new Set(wanted);
	for (const child of [...list.children]) if (!kept.has(child)) child.remove();
	wanted.forEach((shown, place) => {
		if (list.children[place] !== shown) list.insertBefore(shown, list.children[place] ?? null);
	});
}

/** Screen readers read a text again that is set again. */
export function setText(id, text) {
	if (byId(id).textContent !== text) byId(id).textContent = text;
}

const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const exactClock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export const timeOf = (at) => clock.format(at);
export const exactTimeOf = (at) => exactClock.format(at);

export function dayOf(at) {
	const midnight = new Date().setHours(0, 0, 0, 0);
	if (at >= midnight) return 'Today';
	return at >= midnight - 86_400_000 ? 'Yesterday' : day.format(at);
}

const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
/** The time of today, and the date of other days. */
export const shortTimeOf = (at) => (dayOf(at) === 'Today' ? timeOf(at) : date.format(at));

const digitsOf = (id) => id.split('@')[0];
export const numberOf = (id) => (id.endsWith('@g.us') ? 'Group' : `+${digitsOf(id)}`);
/** A chat without a name has its number as one. */
export const nameOf = ({ id, name }) => (name && name !== digitsOf(id) ? name : numberOf(id));

/** Two letters of a name, in a colour of their own. */
export function drawAvatar(avatar, { id, name }) {
	const letters = nameOf({ id, name }).match(/\p{L}/gu);
	avatar.textContent = letters ? letters[0].toUpperCase() : '#';
	const hue = [...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) * 47;
	avatar.style.background = `oklch(0.45 0.1 ${hue})`;
	return avatar;
}

const TICKS = { sent: '✓', delivered: '✓✓', read: '✓✓' };

/** The state of a message of the account, as a sign and in a word. */
export function ticks(status) {
	const sign = element('span', { className: 'ticks', textContent: TICKS[status] ?? '◷', ariaHidden: 'true' });
	sign.dataset.status = status ?? 'waiting';
	return [sign, element('span', { className: 'unseen', textContent: ` ${status ?? 'waiting'}` })];
}
