/** How far the service's clock and ours may be apart, in seconds (API spec, "Authentication" 6). */
export const TOLERANCE_SECONDS = 300;
