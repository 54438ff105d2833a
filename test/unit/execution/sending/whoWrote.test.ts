import type { IDataObject } from 'n8n-workflow';

import { NO_RETRIES } from '../../../../nodes/MessagingChannel/api/apiRequest';
import { reasonIfSilent } from '../../../../nodes/MessagingChannel/execution/sending/whoWrote';
import { virtualClock } from '../../../support/engine/clock';
import { serviceWithChat } from './chat';

const ADA = '905551234567';
const NOW = Date.UTC(2030, 0, 31, 9);

/** One of theirs, so many seconds ago. */
const theirs = (ago: number, more: IDataObject = {}): IDataObject => ({
	id: `${ago} s ago`,
	body: 'Hi',
	from_me: false,
	timestamp: NOW / 1000 - ago,
	...more,
});
/** Ours, so many of them, one each second. */
const ours = (count: number, since = 0) =>
	Array.from({ length: count }, (_, place) => theirs(since + place, { from_me: true }));

const skipped = 'No message of theirs in the last 24 hours was found in the chat';
const DAY = 86_400;

test.each<[string, IDataObject[], string | undefined, number]>([
	['of whom the first page has one', [theirs(-1), ...ours(500)], undefined, 1],
	['of whom the second page has one', [...ours(250), theirs(300), ...ours(300, 301)], undefined, 2],
	['who wrote a day ago', [theirs(DAY)], undefined, 1],
	['who wrote more than a day ago', [...ours(100), theirs(DAY + 1), ...ours(300, DAY + 2)], skipped, 1],
	['who wrote nothing in too many messages', ours(5_000), skipped, 20],
])('a person %s', async (_, messages, reason, pages) => {
	const { client, asked } = serviceWithChat(`${ADA}@c.us`, messages);
	const clock = virtualClock(undefined, NOW);
	const account = { client, state: { clockOffsetMs: 0 } };
	expect(await reasonIfSilent(account, clock, ADA, 24, NO_RETRIES)).toBe(reason);
	expect(asked.slice(1)).toHaveLength(pages);
});
