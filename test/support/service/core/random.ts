/** Seeded randomness, so that ids and delays repeat from run to run. */
export interface Random {
	/** From 0 up to, not including, 1. */
	next(): number;
	between(min: number, max: number): number;
	hex(digits: number): string;
	uuid(): string;
}

/** The mulberry32 generator: small, fast and good enough to spread delays and ids. */
export function createRandom(seed: number): Random {
	let state = seed >>> 0;
	const next = (): number => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
	const hex = (digits: number): string => {
		let text = '';
		while (text.length < digits)
			text += Math.floor(next() * 2 ** 32)
				.toString(16)
				.padStart(8, '0');
		return text.slice(0, digits);
	};
	return {
		next,
		hex,
		between: (min, max) => min + next() * (max - min),
		uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
	};
}
