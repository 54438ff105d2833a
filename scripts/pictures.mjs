// Takes all pictures of the docs again, in a real n8n and a browser, and makes the animations of them.
import { ensureDependencies, npm, run } from './install.mjs';

process.env.UPDATE_SCREENSHOTS = '1';
await ensureDependencies();
for (const step of ['build', 'test:browser', 'docs']) process.exitCode ||= await run(npm, ['run', step]);
