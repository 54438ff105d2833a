import config from '../../stryker.config.mjs';

/** What decides whether a delivery is genuine: seconds instead of an hour, for `npm test`. */
export default {
	...config,
	mutate: ['nodes/MessagingChannel/trigger/delivery/{verify,signature,timestamp}.ts'],
	testFiles: ['test/unit/trigger/delivery/verify.test.ts'],
	incremental: false,
	reporters: ['clear-text'],
};
