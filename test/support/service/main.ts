import { parseArgs } from 'node:util';

import { startService } from './service';

/** Starts the reference service on its own: `npx tsx test/support/service/main.ts --port 8700`. */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '8700' },
			'api-key': { type: 'string' },
			'signing-secret': { type: 'string' },
			production: { type: 'boolean', default: false },
		},
	});
	const service = await startService({
		port: Number(values.port),
		apiKey: values['api-key'],
		signingSecret: values['signing-secret'],
		production: values.production,
	});
	const { secret } = await service.control.webhook();
	console.log(
		[
			`Base URL        ${service.baseUrl}`,
			`API key         ${service.apiKey}`,
			`Signing secret  ${secret}`,
			`Control         ${service.origin}/control`,
			'',
			'Let a message arrive:',
			`curl ${service.origin}/control/incomingMessage --json '{"from":"905551112233","body":"Hello"}'`,
		].join('\n'),
	);
	const stop = () => void service.stop();
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
