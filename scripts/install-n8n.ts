import { ensureN8n } from '../test/support/n8n/install';

ensureN8n().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
