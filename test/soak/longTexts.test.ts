import { toChannelMarks } from '../../nodes/MessagingChannel/fields/markdown';
import type { Question } from '../../nodes/MessagingChannel/sendAndWait/question';
import { readReply } from '../../nodes/MessagingChannel/sendAndWait/readReply';
import { cpuMs } from '../support/cpuMs';

/** Long enough that code whose time grows with the square of the length takes many times as long. */
const REPEATS = 50_000;

test.each([
	...['[', '*', '`', '(', '**a ', '_a__b*', '[](', '[a](b "', '[a]([a]( ', '*a **b _c ~~d ', '_a b* '],
	...['<a:', 'www.)', '> ', '- ', '\\', '`a``', '~~a', '![', '# #', ' '],
])('the Markdown of a long text of %j is converted in time', (part) => {
	const long = part.repeat(REPEATS);
	const convertAll = () => {
		for (const text of [long, `${long}x${'](u)'.repeat(REPEATS)}`, `${long}${')'.repeat(REPEATS)}`]) {
			expect(toChannelMarks(text).length).toBeGreaterThanOrEqual(REPEATS / 2);
		}
	};
	expect(cpuMs(convertAll)).toBeLessThan(3_000);
});

describe('a reply as long as the service allows is read in time', () => {
	const field = (type: 'textarea' | 'number' | 'email' | 'checkbox', choices: string[] = []) => ({
		type: 'customForm' as const,
		fields: [{ label: 'Value', type, isRequired: false, choices }],
		link: 'Respond',
		title: '',
		description: '',
		button: 'Submit',
	});
	const replies: Array<[string, Question['reply']]> = [
		['an approval', { type: 'approval', approve: 'Approve', decline: 'Decline' }],
		['a free text', { ...field('textarea'), type: 'freeText' }],
		['a number', field('number')],
		['an email address', field('email')],
		['a list of choices', field('checkbox', ['S', 'L'])],
	];

	test.each(replies)('as %s', (_, reply) => {
		const question: Question = { message: 'Ship it?', isAttributed: false, reply };
		const chat = '905551112233@c.us';
		const inChat = { code: 'K7F4', responders: [] };
		const readAll = () => {
			for (const part of ['.', ' ', '1', '(', 'K7F4 ', 'K7F4', '*K7F4*', '. K7F4']) {
				const long = part.repeat(Math.ceil(65_536 / part.length));
				for (const text of [long, `${long}x`, `x${long}`, `x${long}x`]) {
					readReply(question, inChat, { messageId: '1', chat, from: chat, text, sendersSince: [] });
				}
			}
		};
		expect(cpuMs(readAll)).toBeLessThan(1_000);
	});
});
