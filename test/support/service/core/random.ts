/** Seeded randomness, so that ids and delays repeat from run to run. By the mulberry32 generator, which is small and fast. */
export function createRandom(seed: number) {
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
		/** From 0 up to, not including, 1. */
		next,
		hex,
		between: (min: number, max: number) => min + next() * (max - min),
		uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
	};
}
