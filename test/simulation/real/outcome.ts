import uniqBy from 'lodash/uniqBy';

import { receiversIn } from '../receiving/expectedWebhook';

/** What can be seen of an execution that sends, in a real n8n and a simulated one. */
export interface ObservedSending {
	/** The index of the earlier execution that this one retries. */
	retryOf?: number;
	status: string;
	reports: Array<{ itemIndex: number; says: string; verifiedId?: string }>;
	/** One for each item. */
	texts: string[];
}

/** What everybody can see of a history of sending, one line for each execution and text. */
export function describeSending(executions: ObservedSending[], taken: string[]): string[] {
	const texts = [...new Set([...executions.flatMap((execution) => execution.texts), ...taken])];
	return [
		...executions.map(describeExecution),
		...texts.map((text) => `'${text}' was taken ${taken.filter((sent) => sent === text).length}×`),
	];
}

function describeExecution({ retryOf, status, reports, texts }: ObservedSending, index: number): string {
	const items = texts.map((text, item) => {
		const said = reports.filter(({ itemIndex }) => itemIndex === item).map(sayingOf);
		return `'${text}' ${said.join(' and ') || 'unknown'}`;
	});
	const others = reports.filter(({ itemIndex }) => !(itemIndex in texts)).map(sayingOf);
	const name = retryOf === undefined ? `#${index}` : `#${index}, a retry of #${retryOf}`;
	return `${name}: ${status}; ${[...items, ...others.map((said) => `another item ${said}`)].join('; ')}`;
}

const sayingOf = ({ says, verifiedId }: ObservedSending['reports'][number]): string =>
	`${says}${verifiedId ? ', verified' : ''}`;

/** What everybody can see of a history of receiving. */
export interface ObservedReceiving {
	/** Where the webhook pointed after each segment. */
	holders: string[];
	/** What n8n says of each workflow. */
	published: boolean[];
	events: Array<{ name: string; messageId: string; isAcknowledged: boolean }>;
	executions: Array<{
		workflow: number;
		isTest: boolean;
		/** Unknown of one that ended at the trigger. */
		messageId?: string;
		/** `duplicate` of one that ended at the trigger, without items. */
		status: string;
	}>;
}

export function describeReceiving({ holders, published, events, executions }: ObservedReceiving): string[] {
	const listed = (own: ObservedReceiving['executions']) =>
		own
			.map(({ workflow, isTest, status }) => `${isTest ? 'test' : 'execution'} of ${workflow} ${status}`)
			.sort()
			.join(', ') || 'no execution';
	const isUnknown = ({ status, messageId }: ObservedReceiving['executions'][number]) =>
		status === 'duplicate' || messageId === undefined;
	const known = executions.filter((execution) => !isUnknown(execution));
	const isOfEvent = (execution: ObservedReceiving['executions'][number]) =>
		events.some(({ messageId }) => messageId === execution.messageId);
	return [
		...holders.map((holder, index) => `after segment ${index}: ${holder}`),
		...published.map(
			(isPublished, index) => `workflow ${index} ${isPublished ? 'published' : 'unpublished'}`,
		),
		...events.map(
			({ name, messageId, isAcknowledged }) =>
				`${name}: ${isAcknowledged ? 'acknowledged' : 'refused'}; ${listed(known.filter((execution) => execution.messageId === messageId))}`,
		),
		`of another message: ${listed(known.filter((execution) => !isOfEvent(execution)))}`,
		// How many copies end at the trigger depends on how often the service delivers.
		`without a known event: ${listed(uniqBy(executions.filter(isUnknown), ({ workflow, isTest, status }) => `${workflow} ${isTest} ${status}`))}`,
	];
}

/** What the account's webhook is. */
interface Webhook {
	url: string;
	events: readonly string[];
	timeoutSeconds: number;
}

/** Whose an account's webhook is: the URLs are those of each workflow's trigger, for production and for tests. */
export function holderOf(
	webhook: Webhook | undefined,
	urls: Array<[production: string, test: string]>,
): string {
	if (!webhook) return 'the webhook points to nothing';
	const nameOf = (url: string): string => {
		const index = urls.findIndex((own) => own.includes(url));
		if (index < 0) return 'another system';
		return `${urls[index]?.[0] === url ? 'workflow' : 'the test of'} ${index}`;
	};
	const [hub, query = ''] = webhook.url.split('?') as [string, string?];
	const receivers = receiversIn(webhook.url).map(({ url }) => nameOf(url));
	const parts = [
		`the webhook points to ${nameOf(hub)}`,
		...(query.includes('subscribers=') ? [`for ${receivers.sort().join(' and ')}`] : []),
		...(query.includes('check=') ? ['with the mark of a check'] : []),
		[...webhook.events].sort().join(' and '),
		`${webhook.timeoutSeconds} s`,
	];
	return parts.join(', ');
}
