import { endChildrenOnSignal, ensureDependencies, runTypeScript } from './install.mjs';

endChildrenOnSignal();
await ensureDependencies();
process.exitCode = await runTypeScript('scripts/start.ts', process.argv.slice(2));
