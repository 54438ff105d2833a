import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import { unconfirmedError, type ApiError } from '../../../nodes/MessagingChannel/api/errors';
import { networkError } from '../../../nodes/MessagingChannel/api/networkError';
import { rateLimitError } from '../../../nodes/MessagingChannel/api/rateLimiter';
import {
	redirectError,
	responseError,
	unreadableResponseError,
} from '../../../nodes/MessagingChannel/api/responseErrors';
import { queueTooLongError } from '../../../nodes/MessagingChannel/execution/sending/sendErrors';
import { messagesIn, refusalsIn } from './messages';
import { page, root } from './pages';

const { text } = page('docs/troubleshooting.md');
const nodes = 'nodes/MessagingChannel';

/** The page's sections, each from its heading to the next. */
const sections = text.split(/^(?=#+ )/m);

/** Quoted values differ from case to case; the page has … in their place. */
const generalised = (message: string): string =>
	message.replace(/'[^' ]+:[^' ]+'|'[a-z_]+'|\d{4}-\S+Z|(?<=HTTP )\d+/g, (value) =>
		value.startsWith("'") ? "'…'" : '…',
	);

const read: Endpoint = { method: 'GET', path: '/contacts/{phone}', permission: 'chats:read' };
const send: Endpoint = { method: 'POST', path: '/messages/send', permission: 'messages:send', sends: 'text' };
const inferred: Endpoint = { ...read, inferred: 'endpoint' };

/** The codes of the API's error tables, each with the status that it comes with. */
const CODES: Array<[status: number, code: string]> = [
	[400, 'validation_error'],
	[400, 'account_not_connected'],
	[401, 'invalid_api_key'],
	[403, 'forbidden'],
	[404, 'not_found'],
	[429, 'rate_limit_exceeded'],
	[500, 'internal_error'],
	[504, 'send_timeout'],
	[400, 'too_many_phones'],
	[400, 'invalid_date'],
	[400, 'invalid_trigger_type'],
	[400, 'content_blocked'],
	[404, 'no_media'],
	[400, 'invalid_filename'],
	[404, 'contact_not_found'],
];

const sectionOf = ({ message }: ApiError): string | undefined =>
	sections.find((section) => section.startsWith(`### ${generalised(message)}\n`));

test.each(CODES)('HTTP %d %s has a section with its message and its code', (status, code) => {
	expect(sectionOf(responseError(read, status, { error: code }))).toContain(`\`${code}\``);
});

test.each([
	['an unknown code', responseError(read, 418, { error: 'teapot' })],
	['too large a request', responseError(send, 413, '')],
	['an inferred address', responseError(inferred, 404, { error: 'not_found' })],
	['a send without an answer', networkError(send, { code: 'ECONNRESET' })],
	['a send in doubt', unconfirmedError()],
	['an unreadable answer', unreadableResponseError(read, 200)],
	['a redirect', redirectError(read, 301, 'https://new.example.com') as ApiError],
	['an address that n8n blocks', networkError(read, { name: 'SsrfBlockedIpError' })],
	['a late reset', rateLimitError(0)],
	['a queue that stands still', queueTooLongError(5)],
	['no answer of a new kind', networkError(read, {})],
])('the message of %s is a heading', (_, error) => {
	expect(sectionOf(error)).toBeDefined();
});

test.each([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'ECONNRESET',
	'EPIPE',
	'ETIMEDOUT',
	'ECONNABORTED',
	'CERT_HAS_EXPIRED',
	'CERT_NOT_YET_VALID',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'ERR_TLS_CERT_ALTNAME_INVALID',
	'CERT_REVOKED',
])('%s is named under the message that it gives', (code) => {
	expect(sectionOf(networkError(read, { code }))).toContain(`\`${code}\``);
});

test('what TLS gives is named under the message that it gives', () => {
	const refused = { code: 'EPROTO', message: 'write EPROTO 1:error:2:SSL routines:x:wrong version number:' };
	expect(sectionOf(networkError(read, refused))).toContain('`EPROTO`');
});

/** All files of the nodes. */
const all = readdirSync(join(root, nodes), { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.ts'))
	.sort();

/** The files whose texts are those of the panel and of the pages that take an answer, not messages. */
const PANEL = [
	/^(actions|fields)\//,
	/\.node\.ts$|Properties\.ts$/,
	/^operation\/(collections|inferred|runOptions)\.ts$/,
	/^sendAndWait\/(answerPages|html|pageTexts|question|receiveAnswer)\.ts$/,
];

const files = all.filter((file) => !PANEL.some((pattern) => pattern.test(file)));

/** Parts of sentences that the page says in other words, or that nobody reads by themselves. */
const ELSEWHERE = [
	// What the test of the credential and the Base URL add to a message: what to do.
	'Enter it as shown in the account panel, e.g. https://service.example.com',
	'Enter only the first part, e.g.',
	'Remove the part before the @ sign.',
	// The two halves of the description of an unconfirmed answer.
	'The service said: "',
	// How the trigger begins its lines in the log.
	'in workflow',
	// Names.
	'Limit Wait Time',
	'Allowed Responders',
	'Approval Options',
	'Form Fields',
	'Answer in Chat',
	'Input Binary Field',
	'parameters of the node',
	'valid key',
	// What n8n says, and what only this package reads.
	'has finished',
	'starting up',
	'is not registered',
	'There was a problem executing the workflow',
	'n8n-nodes-messaging-channel: shared webhook',
	'n8n-nodes-messaging-channel: answers in the chat',
	'answer tag',
	'code word',
	'All recipients are skipped',
	// The `reason` of a skipped item.
	'The contact has the tag',
	'The number has no country code, and ends like that of a contact with the tag',
	'The chat ID does not show the phone number, so this can be a contact with the tag',
	// The kind of value that the service sent.
	'a text like',
	'a number like',
	// What to do.
	'It can be at most',
	// The end of a line that stands for several.
	'more times in the last',
	// The advice on broadcasts goes on.
	'Use Broadcast > Create to pace them and protect your number from being blocked.',
	"To create one broadcast for all items, set 'Recipients From' to 'All Items'.",
];

/** A part of a template, without what belongs to its neighbours. */
const bare = (message: string): string =>
	ELSEWHERE.reduce((rest, part) => rest.replace(part, ''), message).replace(
		/^['"().,:\s]+|['"(.,:\s]+$/g,
		'',
	);

const oneLine = text.replace(/\s+/g, ' ');

test.each(files)('every message of %s is on the page', (file) => {
	const missing = messagesIn(`${nodes}/${file}`)
		.map(bare)
		.filter((message) => /\p{L}+ \p{L}+/u.test(message) && !oneLine.includes(message));
	expect(missing).toEqual([]);
});

test('every refusal of a value is on the page, wherever the code says it', () => {
	const refusals = all.flatMap((file) => refusalsIn(`${nodes}/${file}`)).map(bare);
	expect(refusals.length).toBeGreaterThan(20);
	expect(refusals.filter((refusal) => !oneLine.includes(refusal))).toEqual([]);
});

test('the page has no message that the code has lost', () => {
	const known = all.flatMap((file) => messagesIn(`${nodes}/${file}`));
	const headings = [...text.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);
	expect(headings.length).toBeGreaterThan(40);
	const lost = headings.filter(
		(heading) =>
			!heading
				.split(/'…'|…/)
				.map((part) => part.replace(/^['(),:\s]+|['(),:\s]+$/g, ''))
				.filter((part) => /\p{L}+ \p{L}+/u.test(part))
				.every((part) => known.some((message) => message.includes(part))),
	);
	expect(lost).toEqual([]);
});
