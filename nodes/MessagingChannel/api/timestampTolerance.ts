/** The largest accepted difference between the service's clock and ours, in seconds (API spec, "Authentication" 6). */
export const TOLERANCE_SECONDS = 300;
