import type { Engine } from './engine';

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
	return { optOut };
}
