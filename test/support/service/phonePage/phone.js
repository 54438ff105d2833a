/** The page at /phone: shows the state of the service and calls its control API. */
const byId = (id) => document.getElementById(id);

const TICKS = { sent: '✓ sent', delivered: '✓✓ delivered', read: '✓✓ read' };

let state = { chats: [], requests: [], deliveries: [] };
let openChat;
/** The opened details, which stay open when the lists are drawn again. */
const opened = new Set();

async function control(method, argument = {}) {
	const response = await fetch(`/control/${method}`, { method: 'POST', body: JSON.stringify(argument) });
	const { result, error } = await response.json();
	byId('problem').textContent = error ?? '';
	if (error) throw new Error(error);
	return result;
}

function element(tag, properties = {}, ...children) {
	const created = Object.assign(document.createElement(tag), properties);
	created.append(...children);
	return created;
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

/** Marks an element that can have the focus, so that the next one in its place gets it. */
function focusable(key, created) {
	created.dataset.key = key;
	return created;
}

function draw() {
	const { account, chats, webhook } = state;
	const focused = document.activeElement?.dataset.key;
	byId('account').textContent = `${account.name}: ${account.status}`;
	byId('webhook').textContent = webhook ? `Events go to ${webhook}` : 'No webhook is registered.';
	openChat ??= chats[0]?.id;
	byId('chats').replaceChildren(
		...chats.map(({ id, name }) => {
			const button = element('button', { type: 'button', textContent: name ? `${name} (${id})` : id });
			button.setAttribute('aria-current', String(id === openChat));
			button.addEventListener('click', () => show(id));
			return element('li', {}, focusable(`chat ${id}`, button));
		}),
	);
	drawMessages();
	byId('deliveries').replaceChildren(...state.deliveries.map(deliveryItem));
	byId('requests').replaceChildren(...state.requests.map(requestItem));
	if (focused === undefined) return;
	// An event that is delivered again is above its first delivery.
	[...document.querySelectorAll(`[data-key="${CSS.escape(focused)}"]`)].at(-1)?.focus();
}

function drawMessages() {
	const list = byId('messages');
	const { messages = [], name } = state.chats.find(({ id }) => id === openChat) ?? {};
	byId('chat-title').textContent = openChat === undefined ? 'No chat yet' : name || openChat;
	if (list.dataset.chat === openChat && list.children.length === messages.length) {
		messages.forEach(({ from_me, status }, index) => {
			const tick = list.children[index].querySelector('small');
			if (from_me && tick) tick.textContent = TICKS[status] ?? '';
		});
		return;
	}
	list.dataset.chat = openChat;
	list.replaceChildren(
		...messages.map(({ body, from_me: isOwn, status, link, media }) =>
			element(
				'li',
				{ className: isOwn ? 'own' : '' },
				...(link ? [element('a', { href: link, target: '_blank', textContent: media.filename }), ' '] : []),
				...withLinks(body),
				element('small', { textContent: isOwn ? (TICKS[status] ?? '') : 'written by the customer' }),
			),
		),
	);
	list.scrollTop = list.scrollHeight;
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

function deliveryItem({ eventId, event, body, attempts }) {
	const last = attempts.at(-1);
	const outcome = last ? (last.status ?? last.error) : 'on its way';
	const again = element('button', { type: 'button', textContent: 'Deliver again' });
	again.addEventListener('click', () => void control('deliver', { body, event, eventId }));
	return details(`delivery ${eventId}`, `${event} → ${outcome} (attempts: ${attempts.length})`, [
		focusable(`again ${eventId}`, again),
		block(body),
		...attempts.flatMap(({ headers, responseBody }) => [block(headers), block(responseBody || 'No text')]),
	]);
}

function requestItem({ order, method, path, status, headers, body, refusal, fault }) {
	const reason = refusal ? ` ${refusal.error}: ${refusal.message}` : '';
	const cause = fault ? ` (fault: ${fault})` : '';
	return details(`request ${order}`, `${method} ${path} → ${status ?? 'no answer'}${reason}${cause}`, [
		block(headers),
		...(body === undefined ? [] : [block(body)]),
	]);
}

function show(id) {
	openChat = id;
	draw();
	byId('chat-title').focus();
}

async function refresh() {
	state = await (await fetch('/phone/state')).json();
	draw();
}

const base64Of = (file) =>
	new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.addEventListener('load', () => resolve(reader.result.replace(/^.*?,/, '')));
		reader.addEventListener('error', () => reject(reader.error));
		reader.readAsDataURL(file);
	});

byId('new-chat').addEventListener('submit', async (event) => {
	event.preventDefault();
	const { chats } = await control('seed', { chats: [{ id: byId('number').value }] });
	byId('number').value = '';
	await refresh();
	show(chats[0].id);
});

byId('write').addEventListener('submit', async (event) => {
	event.preventDefault();
	if (openChat === undefined) return void (byId('problem').textContent = 'Open a chat first.');
	const [file] = byId('file').files;
	const body = byId('text').value;
	if (!file && body.trim() === '')
		return void (byId('problem').textContent = 'Write a text, or attach a file.');
	const media = file && {
		mimetype: file.type || 'application/octet-stream',
		filename: file.name,
		base64: await base64Of(file),
	};
	await control('incomingMessage', { from: openChat, body, ...(media ? { media } : {}) });
	event.target.reset();
});

byId('text').addEventListener('keydown', (event) => {
	if (event.key !== 'Enter' || event.shiftKey) return;
	event.preventDefault();
	byId('write').requestSubmit();
});

/** All requests that send a message at once. */
const SENDS = [
	'send',
	'send-media',
	'send-image',
	'send-document',
	'send-audio',
	'send-voice',
	'send-sticker',
	'send-template',
];

async function spoilSends(fault) {
	for (const name of SENDS) {
		await control('addFault', { method: 'POST', path: `/messages/${name}`, times: 'always', ...fault });
	}
}

/** What each switch does when it is on. */
const FAULTS = {
	timeout: async () => await spoilSends({ kind: 'status', status: 504, error: 'send_timeout' }),
	reset: async () => await spoilSends({ kind: 'reset', when: 'after' }),
	slow: async () => await control('addFault', { kind: 'delay', ms: 5000, times: 'always' }),
};

async function applyFaults() {
	const chosen = [...document.querySelectorAll('[name=fault]:checked')].map(({ value }) => value);
	const isOn = (name) => chosen.includes(name);
	await control('clearFaults');
	for (const name of Object.keys(FAULTS).filter(isOn)) await FAULTS[name]();
	await control(
		'setRateLimit',
		isOn('rateLimit') ? { limit: 3, windowSeconds: 10 } : { limit: 100_000, windowSeconds: 60 },
	);
	await control('configure', { wrongSignatures: isOn('signature') });
	await control('setAccount', { status: isOn('disconnected') ? 'disconnected' : 'connected' });
}

/** One after the other, so that the last change decides. */
let applied = Promise.resolve();
for (const box of document.querySelectorAll('[name=fault]')) {
	box.addEventListener('change', () => {
		applied = applied.then(applyFaults, applyFaults);
	});
}

new EventSource('/phone/changes').addEventListener('message', () => void refresh());
