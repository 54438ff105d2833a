/**
 * What a history leaves to chance: a list of numbers that is used up in the order of the questions. Past its end every
 * answer is 0, which always stands for what is plain and harmless, so that a shorter list makes a simpler story.
 */
export interface Choices {
	/** A number from 0 up to, but not including, this. */
	upTo(count: number): number;
	/** One of these; the first is the harmless one. */
	oneOf<T>(options: readonly [T, ...T[]]): T;
	/** Whether something unusual happens, about once in so many times. */
	rarely(times: number): boolean;
	/** From now on, nothing unusual happens. */
	calmDown(): void;
}

/** @param isEventful as long as this is false, nothing unusual happens, and no number is used up */
export function choicesFrom(numbers: readonly number[], isEventful = () => true): Choices {
	let asked = 0;
	const upTo = (count: number) => (isEventful() ? (numbers[asked++] ?? 0) % count : 0);
	const calmDown = () => void (asked = numbers.length);
	return {
		upTo,
		calmDown,
		oneOf: (options) => options[upTo(options.length)] as (typeof options)[number],
		// The highest answer, so that 0 stays harmless.
		rarely: (times) => upTo(times) === times - 1,
	};
}
