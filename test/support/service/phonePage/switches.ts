import type { ServedControl } from '../core/controlServer';
import { invalid } from '../core/apiError';
import { documentedOperations } from '../core/documentedOperations';
import type { Fault } from '../core/faults';
import type { Runtime } from '../core/runtime';
import { defaultSettings } from '../core/settings';

const SENDS = documentedOperations.filter(({ path }) => path.startsWith('/messages/send'));

/** A fault of every request that sends a message at once. */
const ofAllSends = (fault: Fault): Fault[] =>
	SENDS.map(({ operationId }) => ({ operationId, times: 'always', ...fault }));

/** The faults of each switch that makes requests fail. */
const FAULTS: Record<string, Fault[]> = {
	timeout: ofAllSends({ kind: 'status', status: 504, error: 'send_timeout' }),
	reset: ofAllSends({ kind: 'reset', when: 'after' }),
	slow: [{ kind: 'delay', ms: 5000, times: 'always' }],
};

/** What the other switches do. */
const OTHERS: Record<string, (control: ServedControl, isOn: boolean) => unknown> = {
	rateLimit: (control, isOn) =>
		control.setRateLimit(isOn ? { limit: 3, windowSeconds: 10 } : defaultSettings(false).rateLimit),
	signature: (control, isOn) => control.configure({ wrongSignatures: isOn }),
	disconnected: (control, isOn) => control.setAccount({ status: isOn ? 'disconnected' : 'connected' }),
};

/** Turns a switch of the phone page on or off. It stays as it is when the page is closed. */
export function turn(
	control: ServedControl,
	{ switches, faults }: Runtime,
	name: string,
	isOn: boolean,
): void {
	if (!Object.hasOwn(FAULTS, name) && !Object.hasOwn(OTHERS, name))
		throw invalid(`There is no switch ${name}.`);
	switches[isOn ? 'add' : 'delete'](name);
	if (Object.hasOwn(OTHERS, name)) return void OTHERS[name]?.(control, isOn);
	faults.clear();
	for (const one of switches) for (const fault of FAULTS[one] ?? []) faults.add(fault);
}
