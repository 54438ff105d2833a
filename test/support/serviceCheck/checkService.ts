import uniqBy from 'lodash/uniqBy';

import { idOf, isRecord } from '../../../nodes/MessagingChannel/api/values';
import { createChecker, type Findings } from './calls';
import { recordsIn, type Service } from './service';

type Checker = ReturnType<typeof createChecker>;
type Records = Array<Record<string, unknown>>;

/** Chats that are looked into for messages and files. */
const MAX_CHATS = 5;
const TEXT = 'Test of n8n-nodes-messaging-channel';
const DAY_MS = 86_400_000;

const PNG =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WEBP = 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA';
const WAV_HEAD = 'UklGRkQDAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YSADAAA=';
const WAV = Buffer.concat([Buffer.from(WAV_HEAD, 'base64'), Buffer.alloc(800, 128)]).toString('base64');

/** One of each medium. */
const MEDIA: Record<string, [data: string, mimetype: string, filename: string]> = {
	send: [PNG, 'image/png', 'test.png'],
	sendImage: [PNG, 'image/png', 'test.png'],
	sendDocument: [Buffer.from(TEXT).toString('base64'), 'text/plain', 'test.txt'],
	sendAudio: [WAV, 'audio/wav', 'test.wav'],
	sendVoice: [WAV, 'audio/wav', 'test.wav'],
	sendSticker: [WEBP, 'image/webp', 'test.webp'],
};

/** Compares every read. Changes nothing. */
async function read(checker: Checker): Promise<{ template: Records[number] | undefined; answers: boolean }> {
	const { look, lookAt, lookAtOne, lookAtPages, known } = checker;
	const first = await look('account.getHealth');
	const account = await look('account.get');
	if ((!first && !account) || (first?.status === 401 && account?.status === 401))
		return { template: undefined, answers: false };
	for (const call of [
		'message.getRateLimit',
		'message.getQueue',
		'webhook.get',
		'group.getAll',
		'tag.getAll',
	])
		await look(call);
	await look('message.validate', { body: { message: TEXT } });

	const chats = recordsIn(await look('chat.getAll'));
	await readChats(checker, chats);
	const people = chats.flatMap(({ id }) => /^(\d{7,15})@(?!g\.)/.exec(String(id))?.[1] ?? []);
	const [person] = people.map((phone) => known('chat.getAll', 'id', [{ id: phone }]));
	if (person) await look('chat.resolve', { query: { phone: person.value } });
	else await lookAt('chat.resolve', { phone: undefined });

	const phone = known('contact.getAll', 'phone', await lookAtPages('contact.getAll'));
	await lookAt('contact.get', { phone });
	await lookAt('contact.check', { phone });

	const templates = recordsIn(await look('template.getAll'));
	await lookAtOne('template.get', known('template.getAll', 'id', templates));
	await lookAtOne(
		'scheduledMessage.get',
		known('scheduledMessage.getAll', 'id', await lookAtPages('scheduledMessage.getAll')),
	);
	const rules = recordsIn(await look('autoReply.getAll'));
	await lookAtOne('autoReply.get', known('autoReply.getAll', 'id', rules));
	const broadcast = known('broadcast.getAll', 'id', await lookAtPages('broadcast.getAll'));
	for (const call of ['broadcast.get', 'broadcast.getProgress']) await lookAtOne(call, broadcast);
	return { template: templates[0], answers: true };
}

/** Messages and files. */
async function readChats(
	{ found, look, lookAt, lookAtMessages, known }: Checker,
	chats: Records,
): Promise<void> {
	let messages: Records = [];
	let files: Records = [];
	for (const chat of chats.slice(0, MAX_CHATS)) {
		const chatId = known('chat.getAll', 'id', [chat]);
		if (!chatId || (messages.length > 1 && files.length > 0)) continue;
		const those = recordsIn(await look('chat.getMessages', { path: { chatId } }));
		if (messages.length < 2 && those.length > 1) await lookAtMessages(chatId, those);
		if (those.length > messages.length) messages = those;
		// A file that is JSON itself cannot be told from a wrong answer.
		const isFile = ({ media }: Records[number]) => isRecord(media) && !/json/i.test(String(media.mimetype));
		files = [...files, ...those.filter(isFile)];
	}
	if (messages.length < 2) found.notCompared.push(['chat.getMessages, cursor', 'no chat has two messages']);
	const messageId = known('chat.getMessages', 'id', files);
	const filename = known(
		'chat.getMessages',
		'filename',
		files.map(({ media }) => media as Records[number]),
	);
	await lookAt('media.downloadFile', { filename });
	await lookAt('media.downloadFromMessage', { messageId });
	await lookAt('media.downloadFromMessage', { messageId }, { query: { format: 'json' } });
}

/** Makes one of each send, to the numbers in turn, and the other inferred calls, so that nobody else gets anything. */
async function send(
	{ look, lookAtOne, known, found }: Checker,
	numbers: readonly string[],
	template?: Records[number],
) {
	let sends = 0;
	const next = () => numbers[sends++ % numbers.length];
	await look('message.send', { body: { to: next(), message: TEXT }, expected: '202' });
	await look('message.send', { body: { to: next(), message: TEXT, sync: true }, expected: '200' });
	for (const [operation, [media_data, mimetype, filename]] of Object.entries(MEDIA))
		await look(`media.${operation}`, { body: { to: next(), media_data, mimetype, filename } });
	const templateId = idOf(template?.id);
	if (templateId === undefined) found.notCompared.push(['template.send', 'the account has no template']);
	else {
		const names = [template?.variables].flat().filter((name) => typeof name === 'string');
		const variables = Object.fromEntries(names.map((name) => [name, 'test']));
		await look('template.send', { body: { to: next(), template_id: templateId, variables } });
	}

	const scheduledAt = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
	const schedule = { to: next(), message: TEXT, scheduled_at: scheduledAt(1) };
	const scheduled = recordsIn(await look('scheduledMessage.create', { body: schedule }));
	const scheduledId = known('scheduledMessage.create', 'id', scheduled);
	await lookAtOne('scheduledMessage.get', scheduledId);
	await lookAtOne('scheduledMessage.update', scheduledId, { body: { scheduled_at: scheduledAt(2) } });
	await lookAtOne('scheduledMessage.cancel', scheduledId);

	const campaign = { name: TEXT, recipients: numbers, message: TEXT, delay_between_messages: 10 };
	const id = known('broadcast.create', 'id', recordsIn(await look('broadcast.create', { body: campaign })));
	for (const call of ['broadcast.cancel', 'broadcast.get', 'broadcast.getProgress'])
		await lookAtOne(call, id);

	// A rule could answer everybody, so the service is only asked for what it must refuse.
	const rule = { name: TEXT, trigger_type: 'none', trigger_value: TEXT, reply: TEXT, is_active: false };
	const made = recordsIn(await look('autoReply.create', { body: rule, expected: '400' }));
	await lookAtOne('autoReply.update', undefined, { body: { name: TEXT } });
	// A service that takes it all the same does not keep it.
	await lookAtOne('autoReply.delete', known('autoReply.create', 'id', made));
}

/**
 * Compares a service with `openapi.yaml`.
 *
 * @param numbers who may get a message; nobody gets one without
 * @returns undefined if nothing answers, or the key is refused
 */
export async function checkService(
	service: Service,
	numbers: readonly string[],
): Promise<Findings | undefined> {
	const checker = createChecker(service);
	const { template, answers } = await read(checker);
	if (!answers) return undefined;
	if (numbers.length > 0) await send(checker, numbers, template);
	const { differences, ...found } = checker.found;
	return { ...found, differences: uniqBy(differences, ({ call, where }) => `${call} ${where}`) };
}
