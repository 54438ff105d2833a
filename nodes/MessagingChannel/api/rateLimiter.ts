import type { Clock } from './clock';
import { errorOfRateLimit } from './errors';

/** The state of the rate window, as the headers of an answer give it (API spec, "Limits"). */
interface Window {
	limit: number;
	remaining: number;
	/** Unix time in milliseconds. */
	resetAt: number;
}

/** Lets requests through as the service's rate window allows, in the order in which they asked. */
export interface RateLimiter {
	/**
	 * Waits for a place in the window. Each admitted request must be settled.
	 *
	 * @param longestWaitMs how long it may wait once it is its turn
	 * @throws ApiError `rate_limit_exceeded` when that is not long enough
	 */
	admit(longestWaitMs: number): Promise<void>;
	/**
	 * Takes an answer's headers into account.
	 *
	 * @param headers of the answer, or undefined when none came
	 * @param pauseMs given when the service answered 429: how long to pause if the headers do not tell
	 */
	settle(headers: Record<string, unknown> | undefined, pauseMs?: number): void;
}

/** What is known of an account's rate window, by all who call it from this process. */
export interface AccountWindow {
	inFlight: number;
	/** Places that are certainly left for us. */
	places: number;
	window?: Window;
	/** Our requests that the window has counted, as far as they were answered. */
	answered: number;
	/** What was left when a request went out to find out whether others still call. */
	leftBeforeProbe?: number;
	/** When the service last told of the window, in Unix milliseconds. */
	heardAt: number;
	/** How much of what the window counts is ours, from 0 to 1; others may call the account too, such as n8n's other workers. */
	share: number;
	/** Settled when the last of those who wait has had its turn. */
	lastTurn: Promise<unknown>;
	wakeNext: () => void;
}

/** So many may be under way before an answer tells what others do, and then one more for each answer. */
const UNVOUCHED = 10;

/** An answer that takes longer, such as that to an upload, holds nobody else up. */
const SLOW_ANSWER_MS = 1000;

/** What was heard so long ago fails nobody without a request: the service may have changed its mind. */
const STALE_MS = 10_000;

/** Resets are told in whole seconds, so a window is over up to a second before its reset. */
const ROUNDING_MS = 1000;

/** A reset that lies further ahead than this is taken for a mistake, such as a value in milliseconds. */
const FURTHEST_RESET_MS = 24 * 60 * 60 * 1000;

/** An account of which nothing is known yet. */
export function newAccountWindow(): AccountWindow {
	return {
		inFlight: 0,
		places: UNVOUCHED,
		answered: 0,
		heardAt: 0,
		share: 1,
		lastTurn: Promise.resolve(),
		wakeNext: () => {},
	};
}

/**
 * @param onWait told how long a wait is going to be, in milliseconds
 * @param account shared by all limiters of one account
 */
export function createRateLimiter(
	clock: Clock,
	onWait: (ms: number) => void = () => {},
	account: AccountWindow = newAccountWindow(),
): RateLimiter {
	const isAnsweredSoon = async (): Promise<boolean> => {
		const over = new AbortController();
		const untilReset = account.window ? account.window.resetAt - clock.now() : Infinity;
		const answer = new Promise<boolean>((resolve) => (account.wakeNext = () => resolve(true)));
		const slow = clock.sleep(Math.min(SLOW_ANSWER_MS, untilReset), over.signal).then(() => false);
		try {
			return await Promise.race([answer, slow]);
		} finally {
			over.abort();
		}
	};

	/** The last few places of a shared window are left to whoever is nearer to them. */
	const isUsedUp = ({ limit, remaining }: Window) => remaining <= limit / 10 && remaining * account.share < 1;

	const place = async (longestWaitMs: number): Promise<void> => {
		const deadline = clock.now() + longestWaitMs;
		while (true) {
			const { window } = account;
			if (window && clock.now() >= window.resetAt) {
				close(window);
				account.window = undefined;
				account.places = ours({ ...window, remaining: window.limit });
				continue;
			}
			if (account.places > 0) break;
			if (window && isUsedUp(window)) {
				const ms = window.resetAt - clock.now();
				if (window.resetAt <= deadline) {
					onWait(ms);
					await clock.sleep(ms);
				} else {
					if (clock.now() - account.heardAt < STALE_MS) throw errorOfRateLimit(window.resetAt);
					account.heardAt = clock.now();
					account.places = 1;
				}
			} else if ((account.inFlight === 0 && !window) || !(await isAnsweredSoon())) {
				// Those under way may be counted or not, and others may leave their share: the next answer tells.
				account.places = 1;
				account.leftBeforeProbe = account.inFlight === 0 ? window?.remaining : undefined;
			}
		}
		account.places--;
		account.inFlight++;
	};

	/** A whole window tells whether others take less of it than before. */
	const close = ({ limit, remaining }: Window) => {
		const used = limit - remaining;
		if (used > 0) account.share = Math.min(1, Math.max(account.share, account.answered / used));
		account.answered = 0;
	};

	/** What is left for us of a window: others take their share at the same time, and may just have begun to. */
	const ours = ({ limit, remaining }: Window) => {
		const { answered, inFlight, share } = account;
		return Math.min(Math.floor(limit * share) - answered, remaining, UNVOUCHED + answered) - inFlight;
	};

	return {
		async admit(longestWaitMs) {
			const turn = account.lastTurn.then(async () => await place(longestWaitMs));
			account.lastTurn = turn.catch(() => {});
			await turn;
		},

		settle(headers, pauseMs) {
			const { window } = account;
			const now = clock.now();
			const isRefused = pauseMs !== undefined;
			account.inFlight--;
			const seen = windowIn(headers ?? {}, now);
			const isEmpty = isRefused || seen?.remaining === 0;
			if (seen || isRefused) account.heardAt = now;
			else account.answered++;
			// Answers overtake each other: one about a window that is over counts only when it says that nothing is left.
			const isLate = seen && window && seen.resetAt < window.resetAt && seen.resetAt <= now + ROUNDING_MS;
			if (seen && (isEmpty || !isLate)) {
				const isSame = seen.resetAt === window?.resetAt;
				if (window && !isSame) close(window);
				if (!isRefused) account.answered++;
				// Of two about the same window, the lower count is the later one.
				const remaining = Math.min(seen.remaining, isSame ? window.remaining : Infinity);
				const used = seen.limit - remaining;
				// What is under way may be counted or not.
				if (used > 0) account.share = Math.min(account.share, (account.answered + account.inFlight) / used);
				// For a second nobody else has called.
				if (isSame && remaining + 1 === account.leftBeforeProbe) account.share = 1;
				account.leftBeforeProbe = undefined;
				account.window = { ...seen, remaining: isRefused ? 0 : remaining };
				account.places = ours(account.window);
			} else if (isRefused) {
				const emptyUntil = window && window.remaining <= 0 ? window.resetAt : 0;
				const resetAt = Math.max(emptyUntil, now + pauseMs);
				account.window = { limit: window?.limit ?? Infinity, remaining: 0, resetAt };
				account.places = 0;
			} else if (!window) {
				const tellsNothing = headers !== undefined && headers['x-ratelimit-limit'] === undefined;
				account.places = tellsNothing ? Infinity : account.places + 1;
			}
			account.wakeNext();
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
