/** How a check ended. */
export interface Verdict {
	status: 'ok' | 'warning' | 'problem' | 'unknown';
	/** What was seen. */
	detail: string;
	/** What to do; empty if there is nothing. */
	advice: string;
}

/** What a check puts out. */
export type Row = { check: string } & Verdict;

export const ok = (detail: string): Verdict => ({ status: 'ok', detail, advice: '' });
export const warning = (detail: string, advice: string): Verdict => ({ status: 'warning', detail, advice });
export const problem = (detail: string, advice: string): Verdict => ({ status: 'problem', detail, advice });
export const unknown = (detail: string, advice = ''): Verdict => ({ status: 'unknown', detail, advice });
