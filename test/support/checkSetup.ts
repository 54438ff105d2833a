/** The status of each row of Check Setup where everything is fine. No harmless request shows two of the permissions. */
export const FINE: Record<string, string> = {
	Service: 'ok',
	'API Key': 'ok',
	'Permission chats:read': 'ok',
	'Permission chats:write': 'unknown',
	'Permission messages:read': 'ok',
	'Permission messages:send': 'unknown',
	Account: 'ok',
	Clocks: 'ok',
	'Rate Limit': 'ok',
	Queue: 'ok',
	Webhook: 'ok',
	Receivers: 'ok',
	'Webhook URL': 'ok',
	'n8n Address': 'ok',
	'Test URLs': 'ok',
	'Signing Secret': 'ok',
	Deliveries: 'ok',
	'Polling and Catching Up': 'unknown',
	'Time Zone': 'ok',
	Dialect: 'ok',
};

/** What is no longer known when nothing is asked of the service after its health. */
export const UNASKED = Object.fromEntries(
	Object.keys(FINE)
		.filter(
			(name) => !/^(Service|API Key|Permission .*(write|send)|Test URLs|Polling.*|Time Zone)$/.test(name),
		)
		.map((name) => [name, 'unknown']),
);

/** What is no longer known when the trigger itself tells nothing, and when there is none. */
export const UNTOLD = { 'Signing Secret': 'unknown', Deliveries: 'unknown' };
export const NO_TRIGGER = { ...UNTOLD, 'n8n Address': 'unknown' };

/** How the hint begins and ends: it tells the worst, or else what is not known, and names the others. */
export function hintFor(turns: Record<string, string>): RegExp {
	const named = (...statuses: string[]) =>
		statuses.flatMap((status) => Object.keys(FINE).filter((name) => turns[name] === status));
	const bad = named('problem', 'warning');
	const [worst, ...others] = bad.length > 0 ? bad : named('unknown');
	return new RegExp(
		`^${worst}: ((?!Also:).)+[."]${others.length > 0 ? ` Also: ${others.join(', ')}\\.` : ''}$`,
	);
}
