import Module from 'node:module';

import type * as Reachability from '../../../nodes/MessagingChannel/trigger/activation/reachability';

/** A part of the URLs that the service cannot reach. A service on this machine reaches all. */
export const reach: { without?: string } = {};

const inPlaceOf: typeof Reachability = {
	reachabilityProblem: (url) =>
		reach.without !== undefined && url.includes(reach.without) ? 'is out of reach' : undefined,
};
const path = require.resolve('../../../nodes/MessagingChannel/trigger/activation/reachability');

// What is loaded after this file asks here; the next file of tests loads the module itself again.
require.cache[path] = Object.assign(new Module(path), { loaded: true, exports: inPlaceOf });
