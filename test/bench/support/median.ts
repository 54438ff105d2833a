/** The middle one of some numbers. */
export function median(values: number[]): number {
	return [...values].sort((one, other) => one - other)[values.length >> 1] ?? NaN;
}
