/** What stands in the way of one more request; except when the window is used up, the next answer may tell of room. */
export type Obstacle =
	/** Nothing is left until the reset; or what is left may go to others, or to requests of ours that are under way. */
	| { kind: 'usedUp' | 'taken'; resetAt: number }
	/** Too few answers have told of the window. */
	| { kind: 'unproven'; resetAt?: number };

/**
 * What is known of an account's rate window (API spec, "Limits"), by all who call it from this process. All times are
 * Unix milliseconds of the service.
 */
export interface RateWindow {
	/** What stands in the way of a request that would go out now; undefined when nothing does. */
	obstacle(now: number): Obstacle | undefined;
	/** Counts a request that goes out. Each must be settled. */
	take(): void;
	/** Makes room for one request that is to find out how much is left. */
	probe(now: number): void;
	/** Whether waiting can tell more: an answer is under way, or others may leave their share. */
	willTell(): boolean;
	/** Whether the service was neither heard of nor asked for so long that it may have changed its mind. */
	isStale(now: number): boolean;
	/**
	 * Takes an answer's headers into account.
	 *
	 * @param headers of the answer, or undefined when none came
	 * @param pauseMs given when the service answered 429: how long to pause if the headers do not tell
	 */
	settle(headers: Record<string, unknown> | undefined, now: number, pauseMs?: number): void;
}

/** The state of the window, as the headers of an answer give it. */
interface Window {
	limit: number;
	remaining: number;
	resetAt: number;
}

/** So many may be under way before an answer tells what others do, and then one more for each answer. */
const UNVOUCHED = 10;

/** A window that was told so long ago fails nobody: the service may have changed its mind. */
const STALE_MS = 10_000;

/** Resets are told in whole seconds, so a window is over up to a second before its reset. */
const ROUNDING_MS = 1000;

/** A reset that lies further ahead than this is taken for a mistake, such as a value in milliseconds. */
const FURTHEST_RESET_MS = 24 * 60 * 60 * 1000;

/** The window of an account of which nothing is known yet. */
export function createRateWindow(): RateWindow {
	let window: Window | undefined;
	let inFlight = 0;
	/** Places that are certainly left for us. */
	let places = UNVOUCHED;
	/** Our requests that the window has counted, as far as they were answered. */
	let answered = 0;
	/** What was left when a request went out to find out whether others still call. */
	let leftBeforeProbe: number | undefined;
	/** When the service last told of the window, or was asked to. */
	let heardAt = 0;
	/** How much of what the window counts is ours, from 0 to 1; others may call too, such as n8n's other workers. */
	let share = 1;

	/** A whole window tells whether others take less of it than before. */
	const close = ({ limit, remaining }: Window) => {
		const used = limit - remaining;
		if (used > 0) share = Math.min(1, Math.max(share, answered / used));
		answered = 0;
	};

	/** What the window has left for us, those under way included: others take their share at the same time. */
	const left = ({ limit, remaining }: Window) => Math.min(Math.floor(limit * share) - answered, remaining);

	/** How many more may go out now: others may just have begun to call. */
	const ours = (current: Window) => Math.min(left(current), UNVOUCHED + answered) - inFlight;

	/** The last few places of a shared window are left to whoever is nearer to them. */
	const isUsedUp = ({ limit, remaining }: Window) => remaining <= limit / 10 && remaining * share < 1;

	return {
		obstacle(now) {
			if (window && now >= window.resetAt) {
				close(window);
				places = ours({ ...window, remaining: window.limit });
				window = undefined;
			}
			if (places > 0) return undefined;
			if (!window) return { kind: 'unproven' };
			const kind = isUsedUp(window) ? 'usedUp' : left(window) > inFlight ? 'unproven' : 'taken';
			return { kind, resetAt: window.resetAt };
		},

		take() {
			places--;
			inFlight++;
		},

		probe(now) {
			places = 1;
			heardAt = now;
			leftBeforeProbe = inFlight === 0 ? window?.remaining : undefined;
		},

		willTell: () => inFlight > 0 || window !== undefined,

		isStale: (now) => now - heardAt >= STALE_MS,

		settle(headers, now, pauseMs) {
			const isRefused = pauseMs !== undefined;
			inFlight--;
			const seen = windowIn(headers ?? {}, now);
			const isEmpty = isRefused || seen?.remaining === 0;
			if (seen || isRefused) heardAt = now;
			else answered++;
			// Answers overtake each other: one about a window that is over counts only when it says that nothing is left.
			const isLate = seen && window && seen.resetAt < window.resetAt && seen.resetAt <= now + ROUNDING_MS;
			if (seen && (isEmpty || !isLate)) {
				const isSame = seen.resetAt === window?.resetAt;
				if (window && !isSame) close(window);
				if (!isRefused) answered++;
				// Of two about the same window, the lower count is the later one.
				const remaining = Math.min(seen.remaining, window && isSame ? window.remaining : Infinity);
				const used = seen.limit - remaining;
				// What is under way may be counted or not.
				if (used > 0) share = Math.min(share, (answered + inFlight) / used);
				// For a second nobody else has called.
				if (isSame && remaining + 1 === leftBeforeProbe) share = 1;
				leftBeforeProbe = undefined;
				window = { ...seen, remaining: isRefused ? 0 : remaining };
				places = ours(window);
			} else if (isRefused) {
				const emptyUntil = window && window.remaining <= 0 ? window.resetAt : 0;
				const resetAt = Math.max(emptyUntil, now + pauseMs);
				window = { limit: window?.limit ?? Infinity, remaining: 0, resetAt };
				places = 0;
			} else if (!window) {
				const tellsNothing = headers !== undefined && headers['x-ratelimit-limit'] === undefined;
				places = tellsNothing ? Infinity : places + 1;
			}
		},
	};
}

/** The window in an answer's headers; undefined when they are missing, or the reset is past or absurd. */
function windowIn(headers: Record<string, unknown>, now: number): Window | undefined {
	const limit = numberIn(headers['x-ratelimit-limit']);
	const remaining = numberIn(headers['x-ratelimit-remaining']);
	const resetAt = numberIn(headers['x-ratelimit-reset']) * 1000;
	const isUsable = resetAt > now && resetAt <= now + FURTHEST_RESET_MS && limit > 0 && remaining >= 0;
	return isUsable ? { limit, remaining, resetAt } : undefined;
}

function numberIn(header: unknown): number {
	return typeof header === 'string' && header.trim() !== '' ? Number(header) : NaN;
}
