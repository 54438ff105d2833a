import type { Engine } from './engine';
import type { RunOptions } from './run';

/** What contacts have who want no messages. */
export const TAG = 'unsubscribed';
export const SKIPS = { skipTags: [TAG] };

/** The item of a recipient who is skipped. */
export const skipped = (to: string, item: number, reason = `The contact has the tag '${TAG}'`) => ({
	json: { skipped: true, reason, to, outcome: 'skipped' },
	pairedItem: { item },
});

/** Opts people out. */
export function optingOut(engine: Engine) {
	/** Gives people the tag. */
	const optOut = async (phones: string[], tag = TAG) => {
		await engine.service.control.seed({
			tags: [{ name: tag }],
			contacts: phones.map((phone) => ({ phone, tags: ['vip', tag] })),
		});
	};
	/** The service answers requests of an operation that its rate limit resets so many hours from now. */
	const refuse = async (operationId: string, hours: number, times = 1) => {
		const headers = {
			'x-ratelimit-limit': '60',
			'x-ratelimit-remaining': '0',
			'x-ratelimit-reset': String(Math.floor(engine.now() / 1000) + hours * 3600),
		};
		await engine.service.control.addFault({ operationId, kind: 'status', status: 429, headers, times });
	};

	/** Somebody opts out right after a 429. */
	const optOutAfter429 =
		(...phones: string[]): RunOptions['transport'] =>
		async (_, send) => {
			const response = await send();
			if (response.statusCode === 429) await optOut(phones);
			return response;
		};
	return { optOut, refuse, optOutAfter429 };
}
