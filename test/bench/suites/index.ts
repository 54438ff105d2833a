import type { Suite } from '../suite';
import { dropped } from './dropped';
import { events } from './events';
import { download, upload } from './files';
import { growth } from './growth';
import { idleMemory } from './idleMemory';
import { rateWindow } from './rateWindow';
import { sendMemory } from './sendMemory';
import { sends } from './sends';
import { size, start } from './start';

/** All suites, in the order of the table. */
export const suites: Suite[] = [
	sends,
	growth,
	sendMemory,
	rateWindow,
	upload,
	download,
	events,
	dropped,
	start,
	idleMemory,
	size,
];
