/** The page at /phone: shows the state of the service, and plays the customers. */
const byId = (id) => document.getElementById(id);

const TICKS = { sent: '✓ sent', delivered: '✓✓ delivered', read: '✓✓ read' };

/** Larger ones are not kept by the service. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

let state;
let openChat;
/** The opened details, which stay open when they are drawn again. */
const opened = new Set();

async function request(path, argument) {
	const options = argument === undefined ? {} : { method: 'POST', body: JSON.stringify(argument) };
	const response = await fetch(path, options).catch(() => {
		throw new Error('The service does not answer.');
	});
	const answer = await response.json();
	if (!response.ok) throw new Error(answer.error);
	return answer;
}

const control = async (method, argument) => (await request(`/control/${method}`, argument)).result;

/** Does what somebody asked for, and says why when it is not possible. */
async function attempt(action) {
	byId('problem').textContent = '';
	try {
		await action();
		return true;
	} catch (error) {
		byId('problem').textContent = error.message;
		return false;
	}
}

function element(tag, properties = {}, ...children) {
	const created = Object.assign(document.createElement(tag), properties);
	created.append(...children);
	return created;
}

/** An element that can have the focus, so that the next one in its place gets it. */
function focusable(key, created) {
	created.dataset.key = key;
	return created;
}

/** What each list shows. */
const drawn = new Map();

/** Shows an element for each entry, and leaves those alone that are as before: they keep focus, selection and place. */
function drawList(list, entries, create) {
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

const digitsOf = (id) => id.split('@')[0];
const numberOf = (id) => (id.endsWith('@g.us') ? 'group' : `+${digitsOf(id)}`);
/** A chat without a name has its number as one. */
const nameOf = ({ id, name }) => (name && name !== digitsOf(id) ? name : numberOf(id));

function draw() {
	const { account, webhook, chats, chat, deliveries, requests } = state;
	const focused = document.activeElement?.dataset.key;
	openChat = chat?.id;
	setText('account', `${account.name}: ${account.status}`);
	setText('webhook', webhook ? `Events go to ${webhook}` : 'No webhook is registered.');
	setText('chat-title', chat ? nameOf(chat) : 'No chat yet');
	drawSwitches();
	drawList(
		byId('chats'),
		chats.map((one) => ({ key: one.id, name: nameOf(one), isOpen: one.id === openChat })),
		chatItem,
	);
	drawMessages(chat?.messages ?? []);
	drawList(byId('deliveries'), deliveries, deliveryItem);
	drawList(byId('requests'), requests, requestItem);
	if (focused === undefined || document.activeElement !== document.body) return;
	document.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

/** Screen readers read a text again that is set again. */
function setText(id, text) {
	if (byId(id).textContent !== text) byId(id).textContent = text;
}

function chatItem({ key, name, isOpen }) {
	const number = numberOf(key);
	const button = element('button', {
		type: 'button',
		textContent: name === number ? number : `${name} (${number})`,
	});
	button.setAttribute('aria-current', String(isOpen));
	button.addEventListener('click', () => void attempt(async () => await show(key)));
	return element('li', {}, focusable(`chat ${key}`, button));
}

function drawMessages(messages) {
	const list = byId('messages');
	const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 20;
	const isOther = list.dataset.chat !== openChat;
	list.dataset.chat = openChat;
	// A changed tick is no new message.
	drawList(
		list,
		messages.map(({ id, body, isOwn, file }) => ({ key: `${openChat} ${id}`, body, isOwn, file })),
		messageItem,
	);
	messages.forEach(({ isOwn, status }, place) => {
		const note = list.children[place].lastChild;
		const text = isOwn ? (TICKS[status] ?? '') : 'written by the customer';
		if (note.textContent !== text) note.textContent = text;
	});
	if (isAtEnd || isOther) list.scrollTop = list.scrollHeight;
}

function messageItem({ body, isOwn, file }) {
	const link = file && element('a', { href: file.link, target: '_blank', textContent: file.name });
	return element(
		'li',
		{ className: isOwn ? 'own' : '' },
		...(link ? [link, ' '] : []),
		...withLinks(body),
		element('small'),
	);
}

/** The text with its links, which lead to the answer pages of n8n. */
function withLinks(text) {
	return text
		.split(/(https?:\/\/[^\s]+)/)
		.map((part) =>
			/^https?:\/\//.test(part)
				? element('a', { href: part, target: '_blank', rel: 'noopener', textContent: part })
				: part,
		);
}

function details(key, summary, parts) {
	const created = element(
		'details',
		{ open: opened.has(key) },
		focusable(key, element('summary', { textContent: summary })),
		...parts,
	);
	created.addEventListener('toggle', () => opened[created.open ? 'add' : 'delete'](key));
	return element('li', {}, created);
}

const block = (value) =>
	element('pre', { textContent: typeof value === 'string' ? value : JSON.stringify(value, null, 2) });

function deliveryItem({ key, eventId, event, body, attempts }) {
	const last = attempts.at(-1);
	const outcome = last ? (last.status ?? last.error) : 'on its way';
	const again = element('button', { type: 'button', textContent: 'Deliver again' });
	again.addEventListener(
		'click',
		() => void attempt(async () => await request('/phone/deliverAgain', { eventId })),
	);
	return details(`delivery ${key}`, `${event} → ${outcome} (attempts: ${attempts.length})`, [
		focusable(`again ${key}`, again),
		block(body),
		...attempts.flatMap(({ headers, responseBody }) => [block(headers), block(responseBody || 'No text')]),
	]);
}

function requestItem({ key, method, path, status, headers, body, refusal, fault }) {
	const reason = refusal ? ` ${refusal.error}: ${refusal.message}` : '';
	const cause = fault ? ` (fault: ${fault})` : '';
	return details(`request ${key}`, `${method} ${path} → ${status ?? 'no answer'}${reason}${cause}`, [
		block(headers),
		...(body === undefined ? [] : [block(body)]),
	]);
}

async function show(id) {
	openChat = id;
	await refresh();
	byId('chat-title').focus();
}

let refreshing;
let isStale = false;

/** Draws what is there now. One request at a time, so that no older answer comes last. */
async function refresh() {
	isStale = true;
	refreshing ??= drawUntilNew();
	await refreshing;
}

async function drawUntilNew() {
	try {
		while (isStale) {
			isStale = false;
			const wanted = openChat;
			const next = await request(`/phone/state?chat=${encodeURIComponent(wanted ?? '')}`);
			// Somebody has opened another chat meanwhile.
			if (wanted !== openChat) isStale = true;
			else {
				state = next;
				draw();
			}
		}
	} finally {
		refreshing = undefined;
	}
}

const base64Of = (file) =>
	new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.addEventListener('load', () => resolve(reader.result.replace(/^.*?,/, '')));
		reader.addEventListener('error', () => reject(new Error(`${file.name} cannot be read.`)));
		reader.readAsDataURL(file);
	});

async function mediaOf(file) {
	if (file.size > MAX_FILE_BYTES) throw new Error(`${file.name} is larger than 32 MB.`);
	const mimetype = file.type || 'application/octet-stream';
	return { mimetype, filename: file.name, base64: await base64Of(file) };
}

byId('new-chat').addEventListener('submit', (event) => {
	event.preventDefault();
	void attempt(async () => {
		const { chats } = await control('seed', { chats: [{ id: byId('number').value }] });
		byId('number').value = '';
		await show(chats[0].id);
	});
});

byId('write').addEventListener('submit', async (event) => {
	event.preventDefault();
	const from = openChat;
	const [file] = byId('file').files;
	const body = byId('text').value;
	const isSent = await attempt(async () => {
		if (from === undefined) throw new Error('Open a chat first.');
		if (!file && body.trim() === '') throw new Error('Write a text, or attach a file.');
		// At once, so that nobody sends it twice. What cannot be sent comes back.
		event.target.reset();
		const media = file && (await mediaOf(file));
		await control('incomingMessage', { from, body, ...(media ? { media } : {}) });
	});
	if (isSent) return;
	byId('text').value ||= body;
	if (file) byId('file').files = listOf(file);
});

function listOf(file) {
	const transfer = new DataTransfer();
	transfer.items.add(file);
	return transfer.files;
}

byId('text').addEventListener('keydown', (event) => {
	// Enter can also end the writing of a letter, such as a Chinese one.
	if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
	event.preventDefault();
	byId('write').requestSubmit();
});

const boxes = [...document.querySelectorAll('fieldset input')];
/** Switches that the service has not turned yet. */
let turning = 0;
/** One after the other, so that the last change decides. */
let turned = Promise.resolve();
for (const box of boxes) {
	box.addEventListener('change', () => {
		turning += 1;
		const change = { name: box.name, isOn: box.checked };
		turned = turned.then(async () => await turn(change));
	});
}

async function turn(change) {
	await attempt(async () => {
		await request('/phone/switches', change);
		await refresh();
	});
	turning -= 1;
	drawSwitches();
}

function drawSwitches() {
	if (turning > 0 || !state) return;
	for (const box of boxes) box.checked = state.switches.includes(box.name);
}

let changes;

/** Hears of changes while the page is seen: a browser has few connections for all pages of a service. */
function listen() {
	changes?.close();
	if (document.hidden) return;
	changes = new EventSource('/phone/changes');
	changes.addEventListener('message', () => {
		setText('connection', '');
		refresh().catch(lost);
	});
	changes.addEventListener('error', lost);
}

function lost() {
	setText('connection', 'The service does not answer. When it is started again, this page goes on.');
}

document.addEventListener('visibilitychange', listen);
listen();
