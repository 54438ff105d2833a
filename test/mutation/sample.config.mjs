import config from '../../stryker.config.mjs';

/** The check of deliveries alone, in seconds instead of hours, for `npm test`. */
export default {
	...config,
	mutate: ['nodes/MessagingChannel/trigger/delivery/{verify,signature}.ts'],
	testFiles: ['test/unit/trigger/delivery/{verify,signature,receive*}.test.ts'],
	incremental: false,
	reporters: ['clear-text'],
};
