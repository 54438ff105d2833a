import type { ApiError } from '../api/errors';
import { unreadableInChat, unreadableInMessage } from '../api/message';
import { idOf, nonEmptyText } from '../api/values';
import { UnreadableField } from '../api/unreadable';
import { TOLERANCE_MS } from '../api/timestampTolerance';
import { reachabilityProblem } from '../trigger/activation/reachability';
import type { Facts } from './facts';
import { failed, isLimited, judge, NOT_TRIED, valueOf, type Read } from './read';
import { ok, problem, unknown, warning, type Verdict } from './row';

/** A slower service makes everything slow. */
const SLOW_MS = 5_000;

/** The rate limit gives the service's time in whole seconds, and signatures are valid for five minutes. */
const CLOCK_WARNING_MS = 30_000;

/** Messages that wait. More is more than a usual campaign has in the queue. */
const LONG_QUEUE = 100;

/** n8n's default. */
const DEFAULT_TIMEZONE = 'America/New_York';

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;

/** Whether the service refuses the key, so that it is there. */
const isKeyProblem = ({ httpStatus }: ApiError) => httpStatus === 401 || httpStatus === 403;

/** Whether the service is there. */
export function service({ baseUrl, health }: Facts): Verdict {
	const { host } = new URL(baseUrl);
	return judge(
		health,
		(ms) => {
			if (reachabilityProblem(baseUrl, baseUrl) !== undefined)
				return warning(
					`${host} answers without encryption, so others can read the API key.`,
					"Let the 'Base URL' in the credential begin with 'https'.",
				);
			if (ms > SLOW_MS)
				return warning(`${host} took ${seconds(ms)} to answer.`, 'Ask the provider of the service.');
			return ok(`${host} answered in ${ms} ms.`);
		},
		(error) => (isKeyProblem(error) || isLimited(error) ? ok(`${host} answered.`) : failed(error, 'problem')),
	);
}

/** Whether the service accepts the API key. */
export function apiKey({ health }: Facts): Verdict {
	return judge(
		health,
		() => ok('The service accepts the key.'),
		(error) => failed(error, isKeyProblem(error) ? 'problem' : 'unknown'),
	);
}

/** Whether the key has a permission, as a request that needs it shows. Who needs no such request does not need it either. */
export const permission =
	(name: string, readOf: (facts: Facts) => Read<unknown>) =>
	(facts: Facts): Verdict =>
		judge(
			readOf(facts),
			() => ok(`The key has the permission '${name}'.`),
			(error) => failed(error, error.httpStatus === 403 ? 'warning' : 'unknown'),
		);

/** A permission that no harmless request shows. */
export const unseenPermission = (needs: string) => (): Verdict =>
	unknown(`Only ${needs} would show it, and the account panel.`);

/** Whether the account is connected to the channel. */
export function account({ account: read }: Facts): Verdict {
	return judge(read, ({ name, phone_number, status }) => {
		const who = [nonEmptyText(name), idOf(phone_number)].filter((part) => part !== undefined).join(', ');
		const said = nonEmptyText(status);
		if (said === undefined) return unknown('The service does not say whether the account is connected.');
		if (said.toLowerCase() === 'connected') return ok(`${who || 'The account'} is connected.`);
		return problem(
			`${who || 'The account'} is not connected: its status is '${said}'.`,
			'Reconnect it in the account panel.',
		);
	});
}

/** Whether the clocks of n8n and of the service agree. */
export function clocks({ clockOffsetMs }: Facts): Verdict {
	if (clockOffsetMs === undefined) return unknown('The service does not say what time it is.');
	const detail = `The clock of the service is ${seconds(Math.abs(clockOffsetMs))} ${clockOffsetMs < 0 ? 'behind' : 'ahead of'} that of n8n.`;
	const advice = 'Set the clock of the machine that runs n8n. Events more than five minutes off are refused.';
	if (Math.abs(clockOffsetMs) >= TOLERANCE_MS) return problem(detail, advice);
	return Math.abs(clockOffsetMs) >= CLOCK_WARNING_MS ? warning(detail, advice) : ok(detail);
}

/** Whether the rate limit leaves room, and whether others use it. */
export function rateLimit({ rateLimit: read }: Facts): Verdict {
	return judge(
		read,
		({ limit, remaining, resetAt, byOthers = 0 }) => {
			if (limit === undefined || remaining === undefined)
				return unknown('The service does not say what is left.');
			const until = resetAt === undefined ? '' : ` until ${new Date(resetAt * 1000).toISOString()}`;
			const others = byOthers > 0 ? ` Others made ${byOthers} requests during these checks.` : '';
			const detail = `${remaining} of ${limit} requests are left${until}.${others}`;
			return remaining * 10 > limit
				? ok(detail)
				: warning(
						detail,
						'Wait until the limit resets. Find out which other workflows and systems use the account.',
					);
		},
		(error) => failed(error, isLimited(error) ? 'warning' : 'unknown'),
	);
}

/** Whether messages leave the queue. */
export function queue({ queue: read }: Facts): Verdict {
	return judge(read, ({ waiting, failed: lost }) => {
		if (waiting === undefined) return unknown('The service does not say how many messages wait.');
		const detail = `${waiting} messages wait, and ${lost ?? 'an unknown number'} failed.`;
		if (lost) return warning(detail, 'Look in the account panel why they failed.');
		if (waiting > LONG_QUEUE)
			return warning(
				detail,
				"Send more slowly, for example with 'Pause When Queue Above', or with a broadcast.",
			);
		return ok(detail);
	});
}

/** Whether dates that are entered mean what their author thinks. */
export function timeZone({ timezone, account: read }: Facts): Verdict {
	const number = idOf(valueOf(read)?.phone_number)?.replace(/^\+/, '');
	const detail = `Dates without a zone are in ${timezone}.`;
	return timezone === DEFAULT_TIMEZONE && number !== undefined && !number.startsWith('1')
		? warning(
				`${detail} That is n8n's default, and the number of the account is not American.`,
				"Choose the 'Timezone' in the settings of the workflow, or set n8n's environment variable GENERIC_TIMEZONE.",
			)
		: ok(detail);
}

/** Whether what the service sends is in a form that is understood. */
export function dialect({ chats, message, queue: queueRead, rateLimit: limitRead, webhook }: Facts): Verdict {
	const listed = valuesOf(chats).flat();
	const unreadable = [
		...fieldOf(listed.map(unreadableInChat).find((found) => found !== undefined)),
		...valuesOf(message).flatMap((each) => (each ? fieldOf(unreadableInMessage(each)) : [])),
		...valuesOf(queueRead).flatMap(({ waiting, kindOfWaiting }) =>
			waiting === undefined ? [`'waiting' as ${kindOfWaiting}`] : [],
		),
		...valuesOf(limitRead).flatMap(({ unreadable: fields }) =>
			fields.map(([field, kind]) => `'${field}' as ${kind}`),
		),
		...valuesOf(webhook).flatMap(({ registered }) => [
			...(registered?.hasUnknownEvents ? ["the webhook's 'events'"] : []),
			...(registered?.hasUnknownTimeout ? ["the webhook's 'timeout_seconds'"] : []),
		]),
		...(webhook && 'error' in webhook ? fieldOf(webhook.error) : []),
	];
	if (unreadable.length > 0)
		return problem(
			`The service sends in a form that is not understood: ${unreadable.join(', ')}.`,
			'Report this to the provider of the service.',
		);
	const reads: Array<Read<unknown>> = [chats, message, queueRead, limitRead, webhook];
	const unread = reads.filter((read) => !read || 'error' in read);
	if (unread.length > 0) return judge(unread[0], () => NOT_TRIED);
	return ok(
		listed.length > 0
			? 'Everything that was read is understood.'
			: 'Everything that was read is understood. There is no chat yet.',
	);
}

function valuesOf<T>(read: Read<T>): T[] {
	return read && 'value' in read ? [read.value] : [];
}

function fieldOf(error: ApiError | undefined): string[] {
	return error instanceof UnreadableField ? [`'${error.field}' as ${error.kind}`] : [];
}
