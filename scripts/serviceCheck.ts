/**
 * Compares an account of a service with openapi.yaml: `npm run service:check -- --base-url URL --key KEY`. It reads only. With
 * `--send-to 905551112233`, once or several times, it also makes one of each send, to these numbers. The report has no value of
 * the account, so it can be pasted into an issue.
 */
import { reportFor } from '../test/support/serviceCheck/reportFor';

reportFor(process.argv.slice(2), console.error).then(console.log, (error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
