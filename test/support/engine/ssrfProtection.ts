import { sep } from 'node:path';

/** n8n reads its settings when it is loaded. */
const unloadN8n = () => {
	for (const path of Object.keys(require.cache))
		if (path.includes(`${sep}@n8n${sep}`) || path.includes(`${sep}n8n-core${sep}`))
			delete require.cache[path];
};

// Requests to this machine are blocked, unless they name it by its name.
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';
process.env.N8N_SSRF_ALLOWED_HOSTNAMES = 'localhost';
unloadN8n();

afterAll(() => {
	delete process.env.N8N_SSRF_PROTECTION_ENABLED;
	delete process.env.N8N_SSRF_ALLOWED_HOSTNAMES;
	unloadN8n();
});
