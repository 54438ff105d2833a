import type { Resource } from '../operation/operation';
import { account } from './account';
import { message } from './message';
import { template } from './template';
import { webhook } from './webhook';

/** All that the service can do, in the order of the Resource selector. */
export const resources: readonly Resource[] = [message, template, account, webhook];
