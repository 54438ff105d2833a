// n8n reads these when it is loaded: requests to this machine are blocked, unless they name it by its name.
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';
process.env.N8N_SSRF_ALLOWED_HOSTNAMES = 'localhost';
