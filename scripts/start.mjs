import { endChildrenOnSignal, ensureDependencies, npm, run, runTypeScript } from './install.mjs';

endChildrenOnSignal();
await ensureDependencies();
console.log('Building the package');
process.exitCode =
	(await run(npm, ['run', '--silent', 'build'])) ||
	(await runTypeScript('scripts/start.ts', process.argv.slice(2)));
