import { isPromise } from 'node:util/types';

import type { Wrap } from '../n8n/package';

/** Known mistakes, by their names: words of the promise that each breaks, and what it changes. */
export type Mistakes = Record<string, [breaks: string, ...wraps: [Wrap, ...Wrap[]]]>;

/** The modules whose functions mistakes change, below nodes/MessagingChannel. The compiler checks what they export. */
interface Modules {
	'api/clock': typeof import('../../../nodes/MessagingChannel/api/clock');
	'api/errors': typeof import('../../../nodes/MessagingChannel/api/errors');
	'api/networkError': typeof import('../../../nodes/MessagingChannel/api/networkError');
	'api/rateLimiter': typeof import('../../../nodes/MessagingChannel/api/rateLimiter');
	'api/rateWindow': typeof import('../../../nodes/MessagingChannel/api/rateWindow');
	'api/responseErrors': typeof import('../../../nodes/MessagingChannel/api/responseErrors');
	'api/retry': typeof import('../../../nodes/MessagingChannel/api/retry');
	'api/signedHeader': typeof import('../../../nodes/MessagingChannel/api/signedHeader');
	'execution/runPartitioned': typeof import('../../../nodes/MessagingChannel/execution/runPartitioned');
	'execution/sending/suppressionList': typeof import('../../../nodes/MessagingChannel/execution/sending/suppressionList');
	'execution/sending/journal/facts': typeof import('../../../nodes/MessagingChannel/execution/sending/journal/facts');
	'execution/sending/journal/openJournal': typeof import('../../../nodes/MessagingChannel/execution/sending/journal/openJournal');
	'execution/sending/sendLog': typeof import('../../../nodes/MessagingChannel/execution/sending/sendLog');
	'execution/sending/sendOnce': typeof import('../../../nodes/MessagingChannel/execution/sending/sendOnce');
	'execution/sending/sendReconciliation': typeof import('../../../nodes/MessagingChannel/execution/sending/sendReconciliation');
	'execution/sending/sentTexts': typeof import('../../../nodes/MessagingChannel/execution/sending/sentTexts');
	'execution/sending/skipRecipients': typeof import('../../../nodes/MessagingChannel/execution/sending/skipRecipients');
	'n8n/actionRun': typeof import('../../../nodes/MessagingChannel/n8n/actionRun');
	'n8n/responseGate': typeof import('../../../nodes/MessagingChannel/n8n/responseGate');
	'n8n/backgroundLoop': typeof import('../../../nodes/MessagingChannel/n8n/backgroundLoop');
	'n8n/httpRequest': typeof import('../../../nodes/MessagingChannel/n8n/httpRequest');
	'n8n/journal/row': typeof import('../../../nodes/MessagingChannel/n8n/journal/row');
	'n8n/serialQueue': typeof import('../../../nodes/MessagingChannel/n8n/serialQueue');
	'sendAndWait/answerPages': typeof import('../../../nodes/MessagingChannel/sendAndWait/answerPages');
	'sendAndWait/claimAnswer': typeof import('../../../nodes/MessagingChannel/sendAndWait/claimAnswer');
	'sendAndWait/deadline': typeof import('../../../nodes/MessagingChannel/sendAndWait/deadline');
	'sendAndWait/inChat/protocol': typeof import('../../../nodes/MessagingChannel/sendAndWait/inChat/protocol');
	'sendAndWait/interaction': typeof import('../../../nodes/MessagingChannel/sendAndWait/interaction');
	'sendAndWait/readReply': typeof import('../../../nodes/MessagingChannel/sendAndWait/readReply');
	'sendAndWait/receiveAnswer': typeof import('../../../nodes/MessagingChannel/sendAndWait/receiveAnswer');
	'trigger/activation/activation': typeof import('../../../nodes/MessagingChannel/trigger/activation/activation');
	'trigger/activation/joining': typeof import('../../../nodes/MessagingChannel/trigger/activation/joining');
	'trigger/activation/repairLoop': typeof import('../../../nodes/MessagingChannel/trigger/activation/repairLoop');
	'trigger/activation/subscription': typeof import('../../../nodes/MessagingChannel/trigger/activation/subscription');
	'trigger/answers/handOverReplies': typeof import('../../../nodes/MessagingChannel/trigger/answers/handOverReplies');
	'trigger/catchUp/chatList': typeof import('../../../nodes/MessagingChannel/trigger/catchUp/chatList');
	'trigger/catchUp/chatQueue': typeof import('../../../nodes/MessagingChannel/trigger/catchUp/chatQueue');
	'trigger/catchUp/listening': typeof import('../../../nodes/MessagingChannel/trigger/catchUp/listening');
	'trigger/catchUp/workflowRuns': typeof import('../../../nodes/MessagingChannel/trigger/catchUp/workflowRuns');
	'trigger/combining/combiner': typeof import('../../../nodes/MessagingChannel/trigger/combining/combiner');
	'trigger/deduplication/inFlightEvents': typeof import('../../../nodes/MessagingChannel/trigger/deduplication/inFlightEvents');
	'trigger/deduplication/messageRuns': typeof import('../../../nodes/MessagingChannel/trigger/deduplication/messageRuns');
	'trigger/deduplication/ranBefore': typeof import('../../../nodes/MessagingChannel/trigger/deduplication/ranBefore');
	'trigger/delivery/filter': typeof import('../../../nodes/MessagingChannel/trigger/delivery/filter');
	'trigger/delivery/secrets': typeof import('../../../nodes/MessagingChannel/trigger/delivery/secrets');
	'trigger/delivery/verify': typeof import('../../../nodes/MessagingChannel/trigger/delivery/verify');
	'webhook/sharedUrl': typeof import('../../../nodes/MessagingChannel/webhook/sharedUrl');
	'webhook/subscribers': typeof import('../../../nodes/MessagingChannel/webhook/subscribers');
}

type Given<F> = F extends (...given: infer G) => unknown ? G : never;
type Result<F> = F extends (...given: never[]) => infer R ? R : never;
type Created<F> = NonNullable<Result<F>>;
type AnyFunction = (...given: unknown[]) => unknown;

const wrap = (path: string, name: string, changed: (original: AnyFunction) => AnyFunction): Wrap => ({
	path: `nodes/MessagingChannel/${path}`,
	name,
	replace: changed as Wrap['replace'],
});

/** Puts a function in the place of one that a module exports, wherever other modules import it. */
export const replace = <Path extends keyof Modules, Name extends keyof Modules[Path] & string>(
	path: Path,
	name: Name,
	changed: (original: Modules[Path][Name]) => Modules[Path][Name],
): Wrap => wrap(path, name, changed as unknown as (original: AnyFunction) => AnyFunction);

/** Lets an exported function do nothing but return something. */
export const stub = <Path extends keyof Modules, Name extends keyof Modules[Path] & string>(
	path: Path,
	name: Name,
	result: Result<Modules[Path][Name]>,
): Wrap => wrap(path, name, () => () => result);

/** Changes what an exported function is given. */
export const changeInput = <Path extends keyof Modules, Name extends keyof Modules[Path] & string>(
	path: Path,
	name: Name,
	change: (...given: Given<Modules[Path][Name]>) => unknown[],
): Wrap =>
	wrap(
		path,
		name,
		(original) =>
			(...given) =>
				original(...change(...(given as Given<Modules[Path][Name]>))),
	);

/** Changes what an exported function returns or resolves to. */
export const changeOutput = <Path extends keyof Modules, Name extends keyof Modules[Path] & string>(
	path: Path,
	name: Name,
	change: (
		result: Awaited<Result<Modules[Path][Name]>>,
		...given: Given<Modules[Path][Name]>
	) => Awaited<Result<Modules[Path][Name]>>,
): Wrap =>
	wrap(path, name, (original) => (...given) => {
		const changed = (result: unknown) => change(result as never, ...(given as Given<Modules[Path][Name]>));
		const result = original(...given);
		return isPromise(result) ? result.then(changed) : changed(result);
	});

/** Changes methods of what an exported function creates. */
export const changeMethods = <Path extends keyof Modules, Name extends keyof Modules[Path] & string>(
	path: Path,
	name: Name,
	change: (
		created: Created<Modules[Path][Name]>,
		...given: Given<Modules[Path][Name]>
	) => Partial<Created<Modules[Path][Name]>>,
): Wrap =>
	wrap(path, name, (original) => (...given) => {
		const created = original(...given) as Created<Modules[Path][Name]> | undefined;
		const changes = created && change(created, ...(given as Given<Modules[Path][Name]>));
		return created && Object.defineProperties({}, { ...descriptorsOf(created), ...descriptorsOf(changes) });
	});

const descriptorsOf = (value: unknown) => Object.getOwnPropertyDescriptors(value as object);
