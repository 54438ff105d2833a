/** What became of a delivery: `verified`, the reason why it was rejected, and `notTaken` if n8n did not take its event. */
export type DeliveryEnd = string;

/** How many deliveries there were in the last hour, by what became of them. All times are those of `clock.elapsed`. */
export interface Deliveries {
	note(end: DeliveryEnd, now: number): void;
	inLastHour(now: number): Record<DeliveryEnd, number>;
	/** How long ago the last one of each was, in milliseconds. */
	lastMsAgo(now: number): Record<DeliveryEnd, number>;
}

const MINUTE_MS = 60_000;

/** Creates the count of an account that nothing was delivered for. */
export function createDeliveries(): Deliveries {
	let counts: Array<{ minute: number; end: DeliveryEnd; count: number }> = [];
	const lastAt = new Map<DeliveryEnd, number>();
	const minuteOf = (now: number) => Math.floor(now / MINUTE_MS);
	const recent = (now: number) => counts.filter(({ minute }) => minute > minuteOf(now) - 60);
	return {
		note(end, now) {
			lastAt.set(end, now);
			const minute = minuteOf(now);
			const same = counts.find((each) => each.minute === minute && each.end === end);
			if (same) same.count++;
			else counts = [...recent(now), { minute, end, count: 1 }];
		},
		inLastHour(now) {
			const sums: Record<DeliveryEnd, number> = {};
			for (const { end, count } of recent(now)) sums[end] = (sums[end] ?? 0) + count;
			return sums;
		},
		lastMsAgo: (now) => Object.fromEntries([...lastAt].map(([end, at]) => [end, now - at])),
	};
}
