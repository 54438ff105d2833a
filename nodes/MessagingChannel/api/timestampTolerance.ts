/** The largest accepted difference between the service's clock and ours, in seconds (API spec, "Authentication" 6). */
export const TOLERANCE_SECONDS = 300;

/** The clocks of n8n's processes may differ as much. */
export const TOLERANCE_MS = TOLERANCE_SECONDS * 1000;
