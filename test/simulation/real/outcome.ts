import uniqBy from 'lodash/uniqBy';

import { receiversIn } from '../receiving/expectedWebhook';
import type { Webhook } from '../service/events';

/** What can be seen of an execution that sends, in a real n8n and a simulated one. */
export interface ObservedSending {
	/** The index of the earlier execution that this one retries; below 0 if it retries none. */
	retryOf: number;
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
		const own = reports.filter(({ itemIndex }) => itemIndex === item);
		const said = own.map(({ says, verifiedId }) => `${says}${verifiedId ? ', verified' : ''}`);
		return `'${text}' ${said.join(' and ') || 'unknown'}`;
	});
	const name = retryOf < 0 ? `#${index}` : `#${index}, a retry of #${retryOf}`;
	return `${name}: ${status}; ${items.join('; ')}`;
}

/** What everybody can see of a history of receiving. */
export interface ObservedReceiving {
	/** Where the webhook pointed after each segment. */
	holders: string[];
	/** What n8n says of each workflow. */
	published: boolean[];
	events: Array<{ messageId: string; isAcknowledged: boolean }>;
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
	const named = executions.map(({ workflow, isTest, status, messageId }) => ({
		messageId: status === 'duplicate' ? undefined : messageId,
		name: `${isTest ? 'test' : 'execution'} of ${workflow} ${status}`,
	}));
	const listed = (own: typeof named) =>
		own
			.map(({ name }) => name)
			.sort()
			.join(', ') || 'no execution';
	return [
		...holders.map((holder, index) => `after segment ${index}: ${holder}`),
		...published.map(
			(isPublished, index) => `workflow ${index} ${isPublished ? 'published' : 'unpublished'}`,
		),
		...events.map(({ messageId, isAcknowledged }, index) => {
			const own = named.filter((execution) => execution.messageId === messageId);
			return `event ${index}: ${isAcknowledged ? 'acknowledged' : 'refused'}; ${listed(own)}`;
		}),
		// How many copies end at the trigger depends on how often the service delivers.
		`without an event: ${listed(
			uniqBy(
				named.filter(({ messageId }) => !events.some((event) => event.messageId === messageId)),
				'name',
			),
		)}`,
	];
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
