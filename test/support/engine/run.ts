import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type {
	IBinaryKeyData,
	IDataObject,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INode,
	INodeExecutionData,
	INodeParameters,
	IRunExecutionData,
	NodeExecutionHint,
} from 'n8n-workflow';

import type { Clock } from '../../../nodes/MessagingChannel/api/clock';
import { resources } from '../../../nodes/MessagingChannel/actions';
import { runOperation } from '../../../nodes/MessagingChannel/execution/runOperation';
import { sentTextsOf } from '../../../nodes/MessagingChannel/execution/sending/sentTexts';
import { actionRunOf } from '../../../nodes/MessagingChannel/n8n/actionRun';
import { connectTo } from '../../../nodes/MessagingChannel/n8n/connect';
import type { VirtualClock } from './clock';
import { executeContext, newExecution, type Circumstances } from './context';
import { newKeyRow, type KeyRow } from './keyRow';
import { nodeOf } from './workflow';
import { byPhone } from '../operations/parameters';

/** One run of the node. */
export interface RunOptions extends Circumstances {
	/** `<resource>:<operation>`; sends texts unless told otherwise. */
	operation?: string;
	/** What the items hold; parameters refer to it by expressions. */
	items: IDataObject[];
	/** The files that each of the items carries. */
	binary?: IBinaryKeyData;
	/** The node's parameters; for sends, `to` and `message` come from the items unless given here. */
	parameters?: INodeParameters;
	/** The node's `options`. */
	options?: INodeParameters;
	node?: Partial<INode>;
	/** Whether n8n has been started anew, and knows of earlier sends only what it stored. */
	isStartedAnew?: boolean;
	/** What the credential holds, expressions included; a function is asked each time that n8n resolves it. */
	credential?: Account | (() => Account);
	/** The node's clock instead of the usual one. */
	clock?: Clock;
	/** Chance, from 0 up to, but not including, 1; always 0 unless given. */
	random?: () => number;
	/** Asked when a file begins to come: whether it stalls, so that the clock has to go on. */
	stalls?: () => boolean;
	/** Sees every request as it goes out and its answer as it comes in. */
	watch?: Watch;
	/** Stands before n8n's HTTP helper, to fail in a way that a service cannot. */
	transport?: (
		options: IHttpRequestOptions,
		send: () => Promise<IN8nHttpFullResponse>,
	) => Promise<IN8nHttpFullResponse>;
}

/** Sees the traffic from the node's side. */
export interface Watch {
	sending?: (options: IHttpRequestOptions, now: number) => void;
	answered?: (response: IN8nHttpFullResponse, now: number) => void;
}

/** What came of a run. */
export interface Run {
	/** Empty when the node stopped with an error. */
	output: INodeExecutionData[];
	error?: NodeFailure;
	hints: NodeExecutionHint[];
	log: string[];
	/** What the run's clock has seen. */
	clock: {
		/** The waits in the order in which they ended, in milliseconds. */
		waits: number[];
		/** How far the clock has jumped, in milliseconds. */
		skippedMs: number;
		/** How long the run took by this clock, in milliseconds. */
		passedMs: number;
		now: () => number;
	};
	node: INode;
	/** For a run after this one. */
	execution: IRunExecutionData;
	row: KeyRow;
}

/** What the node's credential holds. */
export type Account = Record<'baseUrl' | 'apiKey', string>;

/** The error that stops a node, as n8n shows it. */
export type NodeFailure = Error & {
	description?: string | null;
	httpCode?: string | null;
	context: { itemIndex?: number };
};

/** The item as an expression gives it. */
const FROM_ITEM = {
	to: byPhone('={{ $json.to }}'),
	message: '={{ $json.message }}',
};

/** Runs the node as n8n does, with a clock that does not wait, against a service. */
export async function run(account: Account, clock: VirtualClock, options: RunOptions): Promise<Run> {
	const { operation = 'message:send', items, execution = newExecution(), cancelled, watch = {} } = options;
	const { row = newKeyRow(), credential = account } = options;
	const log: string[] = [];
	const waits: number[] = [];
	const [began, skippedBefore] = [clock.now(), clock.skippedMs];
	const ownClock: Clock = {
		now: clock.now,
		elapsed: clock.elapsed,
		random: options.random ?? clock.random,
		yield: clock.yield,
		sleep: async (ms, over) => {
			const ends = [cancelled, over].filter((signal) => signal !== undefined);
			await clock.sleep(ms, AbortSignal.any(ends));
			waits.push(ms);
		},
	};
	const node = nodeFor(operation, options);
	const around = async (request: IHttpRequestOptions, send: () => Promise<IN8nHttpFullResponse>) => {
		watch.sending?.(request, clock.now());
		const { transport } = options;
		const response = await clock.during(async () => await (transport ? transport(request, send) : send()));
		watch.answered?.(response, clock.now());
		const { body }: { body: unknown } = response;
		if (body instanceof Readable && !options.stalls?.()) {
			// As long as a file comes, nobody waits for the clock.
			void clock.during(async () => await finished(body).catch(() => undefined));
		}
		return response;
	};
	const context = executeContext(
		node,
		items.map((json) => ({ json, ...(options.binary && { binary: options.binary }) })),
		{
			credential: typeof credential === 'function' ? credential : () => credential,
			log: (line) => log.push(line),
			around,
		},
		{ ...options, execution, row },
	);

	if (options.isStartedAnew) sentTextsOf((await connectTo(context, ownClock)).account).known.clear();
	let output: INodeExecutionData[] = [];
	let error: NodeFailure | undefined;
	try {
		[output = []] = await runOperation(actionRunOf(context), resources, options.clock ?? ownClock);
	} catch (thrown) {
		error = thrown as NodeFailure;
	}
	const passed = {
		waits,
		skippedMs: clock.skippedMs - skippedBefore,
		passedMs: clock.now() - began,
		now: clock.now,
	};
	// n8n puts out this input when the time limit of the wait passes.
	if (execution.waitTill) execution.executionData?.nodeExecutionStack.unshift(context.getExecuteData());
	return { output, error, hints: context.hints, log, clock: passed, node, execution, row };
}

function nodeFor(selected: string, { parameters, options = {}, node }: RunOptions): INode {
	const [resource = '', operation = ''] = selected.split(':');
	const usual = selected === 'message:send' ? FROM_ITEM : {};
	return nodeOf('Send', {
		id: 'node',
		type: 'n8n-nodes-messaging-channel.messagingChannel',
		credentials: { messagingChannelApi: { id: 'credential', name: 'Messaging Channel' } },
		...node,
		parameters: { resource, operation, ...usual, ...parameters, options },
	});
}

/** What the items of a run hold. */
export const jsonOf = ({ output }: Run): IDataObject[] => output.map(({ json }) => json);

/** The execution as n8n stores it and reads it again, for a "Retry execution". */
export function stored(execution: IRunExecutionData): IRunExecutionData {
	return JSON.parse(JSON.stringify(execution)) as IRunExecutionData;
}
