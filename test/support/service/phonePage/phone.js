/** The page at /phone: shows the state of the service, and plays the customers. */
import { drawMessages, unmarked } from './chat.js';
import {
	attempt,
	byId,
	control,
	drawAvatar,
	drawList,
	element,
	focusable,
	nameOf,
	numberOf,
	request,
	setText,
	ticks,
	shortTimeOf,
} from './dom.js';
import { drawFaults } from './faults.js';
import { drawTimeline } from './exchange.js';

/** Larger ones are not kept by the service. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** A customer to begin with. */
const ADA = { id: '905551112233@c.us', name: 'Ada' };

let state;
let openChat;

function draw() {
	const { account, webhook, chat } = state;
	const focused = document.activeElement?.dataset.key;
	openChat = chat?.id;
	setText('account', `${account.name}: ${account.status}`);
	setText(
		'webhook',
		webhook ? `Events go to ${webhook}` : 'No webhook is registered. A workflow that polls needs none.',
	);
	drawFaults(state.switches);
	drawChats();
	drawChat(chat);
	drawTimeline(state);
	if (focused === undefined || document.activeElement !== document.body) return;
	document.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

const wanted = () => byId('search').value.trim();
/** A number that somebody may want to write as; spaces and signs in it are for people. */
const wantedNumber = () => {
	const digits = wanted().replace(/[\s()+.-]/g, '');
	return /^\d{7,15}$/.test(digits) ? digits : undefined;
};

function drawChats() {
	const text = wanted().toLowerCase();
	const fits = ({ id, name, last }) =>
		[id, `+${id}`, name, last?.body ?? ''].some((one) => one.toLowerCase().includes(text.replace(/^\+/, '')));
	const found = state.chats.filter(fits);
	const number = wantedNumber();
	const isNew = number && !state.chats.some(({ id }) => id === `${number}@c.us`);
	const entries = found.map(({ id, name, last }) => ({
		key: id,
		name: nameOf({ id, name }),
		last: last && { ...last, time: shortTimeOf(last.at) },
		isOpen: id === openChat,
	}));
	if (isNew) entries.unshift({ key: number, name: `+${number}`, isNew });
	drawList(byId('chats'), entries, chatItem);
	drawNoChats(entries.length > 0, text);
}

function drawNoChats(hasSome, text) {
	const empty = byId('no-chats');
	empty.hidden = hasSome;
	if (hasSome || empty.dataset.text === text) return;
	empty.dataset.text = text;
	if (text !== '')
		return void empty.replaceChildren(`Nothing is found for “${text}”. A phone number opens a new chat.`);
	const begin = element('button', {
		type: 'button',
		className: 'pill brand',
		textContent: `Write as ${ADA.name}`,
	});
	begin.addEventListener('click', () => void attempt(async () => await create(ADA)));
	empty.replaceChildren(
		element('p', {
			textContent:
				'Nobody has written yet. You play the customers: begin with one of them, or enter a phone number above.',
		}),
		begin,
	);
}

function chatItem({ key, name, last, isOpen, isNew }) {
	const button = element(
		'button',
		{ type: 'button' },
		drawAvatar(element('span', { className: 'round brand', ariaHidden: 'true' }), { id: key, name }),
		element('strong', { className: 'cut', textContent: isNew ? `Write as ${name}` : name }),
		element('time', { className: 'quiet', textContent: last?.time ?? '' }),
		element(
			'span',
			{ className: 'last quiet cut' },
			...(last?.isOwn ? [...ticks(last.status), ' '] : []),
			isNew ? 'A new customer' : last ? unmarked(last.body) || last.file?.name || '' : 'No message yet',
		),
	);
	button.setAttribute('aria-current', String(isOpen === true));
	button.addEventListener(
		'click',
		() => void attempt(async () => await (isNew ? create({ id: key }) : show(key))),
	);
	return element('li', {}, focusable(`chat ${key}`, button));
}

function drawChat(chat) {
	setText('chat-title', chat ? nameOf(chat) : 'No chat is open');
	setText('chat-number', chat && nameOf(chat) !== numberOf(chat.id) ? numberOf(chat.id) : '');
	byId('avatar').hidden = !chat;
	if (chat) drawAvatar(byId('avatar'), chat);
	byId('write').hidden = !chat;
	const isEmpty = !chat?.messages.length;
	byId('no-messages').hidden = !isEmpty;
	byId('messages').hidden = isEmpty;
	setText(
		'no-messages',
		chat
			? 'Write the first message below. What your workflow answers appears here.'
			: 'Choose a chat, or begin one.',
	);
	drawMessages(chat?.id, chat?.messages ?? []);
}

async function create(chat) {
	const { chats } = await control('seed', { chats: [chat] });
	byId('search').value = '';
	await show(chats[0].id, byId('text'));
}

/** Opens a chat; the focus goes to its title unless told otherwise. */
async function show(id, focus = byId('chat-title')) {
	openChat = id;
	showPane('chat');
	await refresh();
	focus.focus();
}

function showPane(pane) {
	document.body.dataset.pane = pane;
	for (const button of byId('panes').children)
		button.setAttribute(
			'aria-current',
			String((pane === 'developer') === (button.dataset.pane === 'developer')),
		);
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
			const asked = openChat;
			const next = await request(`/phone/state?chat=${encodeURIComponent(asked ?? '')}`);
			// Somebody has opened another chat meanwhile.
			if (asked !== openChat) isStale = true;
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

byId('find').addEventListener('submit', (event) => {
	event.preventDefault();
	const first = byId('chats').querySelector('button');
	if (!first) return;
	first.click();
	byId('search').value = '';
	drawChats();
});
byId('search').addEventListener('input', drawChats);
byId('back').addEventListener('click', () => {
	showPane('chats');
	byId('chats').querySelector('[aria-current="true"]')?.focus();
});
for (const button of byId('panes').children)
	button.addEventListener('click', () =>
		showPane(button.dataset.pane === 'chats' && openChat ? 'chat' : button.dataset.pane),
	);

function drawChosen() {
	const [file] = byId('file').files;
	byId('chosen').hidden = !file;
	byId('chosen').firstChild.textContent = file?.name ?? '';
}
byId('file').addEventListener('change', drawChosen);
byId('chosen').lastChild.addEventListener('click', () => {
	byId('file').value = '';
	drawChosen();
	byId('text').focus();
});

byId('write').addEventListener('submit', async (event) => {
	event.preventDefault();
	const from = openChat;
	const [file] = byId('file').files;
	const body = byId('text').value;
	const isSent = await attempt(async () => {
		if (!file && body.trim() === '') throw new Error('Write a text, or attach a file.');
		// At once, so that nobody sends it twice. What cannot be sent comes back.
		event.target.reset();
		drawChosen();
		const media = file && (await mediaOf(file));
		await control('incomingMessage', { from, body, ...(media ? { media } : {}) });
	});
	if (isSent) return;
	byId('text').value ||= body;
	if (file) byId('file').files = listOf(file);
	drawChosen();
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
showPane('chats');
listen();
