import { mean, sum } from 'lodash';

/** One value at a time. */
export interface Sample {
	/** Hours since the start. */
	hours: number;
	value: number;
}

/** How fast a value grows, with the 95% confidence interval of that. */
export interface Growth {
	perHour: number;
	/** The interval is `perHour` ± this. */
	plusMinus: number;
}

const STRETCHES = 12;
/** Student's t for 95% and as many degrees of freedom as a line through that many points leaves. */
const T_95 = 2.228;

/**
 * The slope of a line through the samples, by least squares. Neighbouring samples resemble each other, which makes a
 * line through all of them look surer than it is; so it goes through the means of twelve stretches of equal length.
 */
export function growthOf(samples: Sample[]): Growth {
	const points = stretches(samples);
	const meanHours = mean(points.map(({ hours }) => hours));
	const meanValue = mean(points.map(({ value }) => value));
	const spread = sum(points.map(({ hours }) => (hours - meanHours) ** 2));
	const perHour = sum(points.map(({ hours, value }) => (hours - meanHours) * (value - meanValue))) / spread;
	const misses = points.map(({ hours, value }) => value - meanValue - perHour * (hours - meanHours));
	const variance = sum(misses.map((miss) => miss ** 2)) / (points.length - 2);
	return { perHour, plusMinus: T_95 * Math.sqrt(variance / spread) };
}

/** The means of twelve runs of neighbouring samples; too few samples give points that say nothing (NaN). */
function stretches(samples: Sample[]): Sample[] {
	return Array.from({ length: STRETCHES }, (_, number) => {
		const at = (share: number) => Math.round((samples.length * share) / STRETCHES);
		const stretch = samples.slice(at(number), at(number + 1));
		return {
			hours: mean(stretch.map(({ hours }) => hours)),
			value: mean(stretch.map(({ value }) => value)),
		};
	});
}
