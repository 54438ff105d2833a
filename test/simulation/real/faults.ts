import type { FaultEffect, FaultTarget } from '../../support/service/core/faults';

/** What becomes of a request, as the simulation names it. */
export type Fate =
	| 'arrives'
	| 'is reset before it arrives'
	| 'is reset after it arrived'
	| 'loses its response'
	| 'gets lost'
	| 'meets a 503'
	| 'meets a 401'
	| 'fails before it is taken'
	| 'fails after it was taken'
	| 'times out after it was taken';

/** What the reference service does to a request so that this becomes of it. */
export const FAULTS: Partial<Record<Fate, FaultEffect & Pick<FaultTarget, 'when'>>> = {
	'is reset before it arrives': { kind: 'reset' },
	'is reset after it arrived': { kind: 'reset', when: 'after' },
	'loses its response': { kind: 'silence', when: 'after' },
	'gets lost': { kind: 'silence' },
	'meets a 503': { kind: 'status', status: 503, error: 'unavailable', headers: { 'Retry-After': '2' } },
	'meets a 401': { kind: 'status', status: 401 },
	'fails before it is taken': { kind: 'status', status: 500 },
	'fails after it was taken': { kind: 'status', status: 500, when: 'after' },
	'times out after it was taken': { kind: 'status', status: 504, when: 'after' },
};
