import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Endpoint } from '../../../nodes/MessagingChannel/api/apiRequest';
import type { ApiError } from '../../../nodes/MessagingChannel/api/errors';
import { networkError } from '../../../nodes/MessagingChannel/api/networkError';
import { responseError } from '../../../nodes/MessagingChannel/api/responseErrors';
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

test.each(['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'ETIMEDOUT', 'CERT_HAS_EXPIRED', 'CERT_REVOKED'])(
	'%s is named under the message that it gives',
	(code) => {
		expect(sectionOf(networkError(read, { code }))).toContain(`\`${code}\``);
	},
);

/** All files of the nodes. */
const all = readdirSync(join(root, nodes), { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.ts'))
	.sort();

/** The files whose texts are those of the panel, of the pages that take an answer, and of checks, which say what to do. */
const PANEL = [
	/^checkSetup\//,
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
	'Body Fields',
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
	'No message of theirs in the last',
	'hours was found in the chat',
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
