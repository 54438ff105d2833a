import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeProperties,
	NodeExecutionHint,
} from 'n8n-workflow';

import type { ApiRequest, Endpoint, Parameters } from '../api/apiRequest';
import type { Client } from '../api/client';
import type { Clock } from '../api/clock';
import type { AccountState } from '../api/rateLimiter';
import type { ResponseBody } from '../api/values';
import type { Pagination } from '../api/pagination';
import type { Input } from './input';

/**
 * One field of an operation: its n8n property, and how its value becomes part of the request. Its `displayOptions` refer to
 * other fields of the operation only; those for resource and operation are added.
 */
export interface Field extends INodeProperties {
	/**
	 * The API fields that it sets, in camelCase. The default is the API field of the same name. An empty array marks a setting
	 * of this node, which is not sent.
	 */
	api?: readonly string[];
	/** Accepts several texts: an array, also as JSON, or one text that separates them; see `splitList`. */
	list?: true;
	/**
	 * Gets a file, too: n8n's editor offers an expression that gives one where the name of its field, or its content, is
	 * expected.
	 */
	acceptsFile?: true;
	/** Refuses an expression that gives nothing, which in other fields counts as empty. */
	mustResolve?: true;
	/**
	 * Refuses a text in which an expression gives nothing, beside other text. With `filled`, as always for times and what a
	 * locator chooses, it may not give an empty text either, unless it decides so, or is an entry of a list. Filters must be
	 * whole, too.
	 */
	mustBeWhole?: true | 'filled';
	/** Gives `toApi` an empty list if it was added and gives nothing. */
	readsEmpty?: true;
	/** Refuses an expression by which the model of an agent can fill it in. */
	refusesModel?: true;
	/** Read where a workflow has it saved, but not offered: the operation can make little use of it. */
	isHidden?: true;
	/** Read after the other fields of its collection, because `toApi` needs their settings. */
	readLast?: true;
	/**
	 * Converts the value to API fields. Without it, the value is sent under the name in `api`. The value has the type of the
	 * field: a text, a number, a boolean, a UTC date in ISO 8601, a Locator or an array of texts.
	 *
	 * @param settings the settings of this node in the operation's options that were read before, by field name
	 * @throws InvalidInput when the value cannot be sent
	 */
	toApi?: (value: never, settings: Parameters) => Parameters;
}

/** The names of n8n's collections for optional fields. */
export type CollectionName = 'filters' | 'additionalFields' | 'updateFields' | 'options';

/** How all input items share one request. */
export interface AllItems {
	/** Whether the user chose one request for all items. */
	isWanted: (input: Input) => boolean;
	/** The list that every item adds to, by its API name in camelCase. */
	list: string;
	/** Identifies an entry of the list. Entries with the same key are duplicates. */
	keyOf: (entry: string) => string;
	/** Other parameters that may differ between items. The value of the first item is sent. */
	mayDiffer: readonly string[];
	/** What the user can do when another parameter differs. */
	description: string;
}

/** What an execution can do to wait for an answer. */
export interface WaitingExecution {
	/** The number of input items. */
	items(): number;
	id(): string;
	/** Counts the runs of the node in its execution. */
	run(): string;
	/** Whether n8n's Engine 2.0 runs the node. */
	isInEngine2(): boolean;
	/** Whether another node calls this one as its tool. */
	isCalled(): boolean;
	/** Has n8n verify the signatures of its links. */
	verifySignatures(): void;
	/** A signed link that resumes the execution, with these query parameters. */
	linkTo(query: Record<string, string>): string;
	/** The URL of this n8n below which its executions wait. */
	waitingUrl(): string;
	/** What n8n responds to a link of its own; undefined without a response. */
	openLink(url: string): Promise<IN8nHttpFullResponse | undefined>;
	client(): Promise<Client>;
	credential(): Promise<ICredentialDataDecryptedObject>;
	/** When the latest wait of this execution ends by itself, in Unix milliseconds; NaN if it has not waited. */
	lastDeadline(): number;
	/**
	 * Puts the execution to wait.
	 *
	 * @param question what n8n stores with it, for whoever answers
	 * @param timeoutAnswer what the node outputs if nobody does
	 */
	wait(question: object, deadline: Date, timeoutAnswer: object): Promise<void>;
}

/**
 * Prepares a request that asks a person for an answer, before it is sent.
 *
 * @returns the request to send in place of the given one, and what to do before and after it is sent
 * @throws InvalidInput when the execution cannot wait for the answer
 */
export type Interaction = (
	execution: WaitingExecution,
	input: Input,
	request: ApiRequest,
) => Promise<PreparedInteraction>;

/** A request that asks a person for an answer. */
export interface PreparedInteraction {
	/** The request, with the links that resume this execution. */
	request: ApiRequest;
	/** Identifies what the links resume. With another scope, it is another message, which is sent even if this one was. */
	scope: string;
	/** Waits until the request may be sent. */
	ready(clock: Clock): Promise<void>;
	/**
	 * Checks that the request may be sent. Called right before, and not if it may have been sent before.
	 *
	 * @throws InvalidInput when nobody would take the answer; ApiError when the service cannot be asked whether anybody would
	 */
	check?(): Promise<void>;
	/**
	 * Puts the execution to wait, after the request was sent.
	 *
	 * @param now Unix time in milliseconds
	 */
	wait(now: number): Promise<void>;
}

/** What n8n says of itself for an item. */
export interface Surroundings {
	credential: () => Promise<ICredentialDataDecryptedObject>;
	/** Where the webhooks of this n8n are, and where its editor is, each without a slash at its end. */
	webhooksUrl: string;
	editorUrl: string;
	/** n8n's ID of the instance, the same in all its processes. */
	instanceId: string;
	/** The workflow's time zone. */
	timezone: string;
	/** n8n's HTTP helper, without the account's key. */
	request: (options: IHttpRequestOptions) => Promise<unknown>;
}

/** What a report is made of. */
export interface ReportContext extends Surroundings {
	/** Sends with the run options of the item. */
	client: Client;
	account: AccountState;
	clock: Clock;
}

/** Looks at something as a whole, and puts out a record for each part of it. */
export type Report = (
	context: ReportContext,
	input: Input,
) => Promise<{ records: IDataObject[]; hint: NodeExecutionHint }>;

/** One operation: its texts, its endpoint and its fields. Everything else follows from these. */
export interface Operation extends Partial<Record<CollectionName, readonly Field[]>> {
	/** Stored in saved workflows, so it never changes. */
	value: string;
	name: string;
	action: string;
	description: string;
	endpoint: Endpoint;
	/** A notice above the fields. */
	notice?: string;
	/** The fields outside of collections. */
	fields?: readonly Field[];
	/** Set for a Get Many, which then has Return All and Limit. */
	pagination?: Pagination;
	/** Set when all input items can share one request. */
	allItems?: AllItems;
	/**
	 * Builds the request. Without it, the parameters are sent to the endpoint.
	 *
	 * @throws InvalidInput when the values contradict each other
	 */
	request?: (input: Input) => Omit<ApiRequest, 'endpoint'> & { endpoint?: Endpoint };
	/**
	 * Splits the text of the request, which is then sent as several messages. Without parts, there is one request.
	 *
	 * @throws InvalidInput when the text has too many parts
	 */
	parts?: (request: ApiRequest, input: Input) => string[] | undefined;
	/** Builds the output. Without it, the output is the records in the response. */
	output?: (body: ResponseBody) => IDataObject[];
	/** Picks the fields of a record in a list, for people or for the model of an agent. Without it, all are output. */
	pickFields?: (record: IDataObject, input: Input, isForModel: boolean) => IDataObject;
	/** Set when the workflow waits for a person's answer. */
	interaction?: Interaction;
	/** Makes the output of several requests, in place of the one to the endpoint. */
	report?: Report;
	/** Set if all items of an account share one request, as those of a report do. */
	isOnce?: true;
	/** Whether the response is a file, which is output as binary data. */
	download?: (input: Input) => boolean;
}

/** A resource and its operations. */
export interface Resource {
	/** Stored in saved workflows, so it never changes. */
	value: string;
	name: string;
	operations: readonly Operation[];
}

/** The output of a delete, whatever the response. */
export function deleted(): IDataObject[] {
	return [{ deleted: true }];
}
