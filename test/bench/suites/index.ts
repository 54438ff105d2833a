import type { Suite } from '../support/suite';
import { answering } from './answering';
import { broadcast } from './broadcast';
import { bursts } from './bursts';
import { dropped } from './dropped';
import { download } from './download';
import { downloadMemory } from './downloadMemory';
import { events } from './events';
import { growth } from './growth';
import { idleMemory } from './idleMemory';
import { rateWindow } from './rateWindow';
import { requestIds } from './requestIds';
import { sendMemory } from './sendMemory';
import { sends } from './sends';
import { shared } from './shared';
import { size, start } from './start';
import { upload } from './upload';

/** All suites, in the order of the table. */
export const suites: Suite[] = [
	sends,
	requestIds,
	answering,
	growth,
	sendMemory,
	rateWindow,
	upload,
	download,
	downloadMemory,
	events,
	bursts,
	broadcast,
	dropped,
	shared,
	start,
	idleMemory,
	size,
];
