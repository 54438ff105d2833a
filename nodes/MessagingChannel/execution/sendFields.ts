import compact from 'lodash/compact';
import once from 'lodash/once';
import type { IDataObject } from 'n8n-workflow';

import { ApiError } from '../api/errors';
import { idOf, isRecord } from '../api/values';
import type { ApiRequest } from '../api/apiRequest';
import { isChatId, phoneIn, recipientKey } from '../recipients/recipient';
import { isQueued } from './sending/sentTexts';
import type { Entry, Failed, Task } from './task';

/** What became of a send. Workflows read these values, so they must not change. */
type Outcome = 'queued' | 'sent' | 'verified' | 'already_sent' | 'skipped' | 'uncertain' | 'not_sent';

/** Adds to the items of a send what each of them has: its recipient in one form, and what became of it. */
export interface SendFields {
	/** A record in the output, with the fields. So do the parts of a text that was sent as several messages. */
	toRecord: (task: Task, record: IDataObject) => IDataObject;
	/** The fields of a failed item. */
	ofFailed: (task: Task | undefined, failed: Failed) => IDataObject;
}

/** Creates the fields of a run's items. Whoever was answered with a chat ID has it in all items. */
export function createSendFields(entries: readonly Entry[]): SendFields {
	const chatIds = once(() => chatIdsIn(entries));
	const toOf = (...named: unknown[]): IDataObject => {
		const recipients = compact(named.map(idOf));
		const [first] = recipients;
		if (first === undefined) return {};
		return { to: recipients.find(isChatId) ?? chatIds().get(recipientKey(first)) ?? phoneIn(first) ?? first };
	};
	const toRecord = (task: Task, record: IDataObject): IDataObject => ({
		...record,
		// A service can have parts of its own.
		...(Array.isArray(record.parts) && {
			parts: record.parts.map((part) => (isRecord(part) ? toRecord(task, part as IDataObject) : part)),
		}),
		...toOf(record.to, recipientIn(task)),
		outcome: outcomeOf(record, task.request),
	});
	return {
		toRecord,
		ofFailed: (task, { error, to }) => ({
			...toOf(task ? recipientIn(task) : to),
			outcome: error instanceof ApiError && error.ambiguous ? 'uncertain' : 'not_sent',
		}),
	};
}

/** The chat IDs in the answers, by the recipients that were entered. */
function chatIdsIn(entries: readonly Entry[]): Map<string, string> {
	const chatIds = new Map<string, string>();
	for (const { task, result } of entries) {
		if (!task || !result || 'error' in result) continue;
		const [answered, entered] = [result.items[0]?.json.to, recipientIn(task)].map(idOf);
		if (answered && entered && isChatId(answered)) chatIds.set(recipientKey(entered), answered);
	}
	return chatIds;
}

/** What became of a send, by its record in the output. */
function outcomeOf(record: IDataObject, { endpoint, parameters }: ApiRequest): Outcome {
	const { skipped, already_sent, verified } = record;
	if (skipped === true) return 'skipped';
	if (already_sent === true) return 'already_sent';
	if (verified === true) return 'verified';
	// A broadcast or a scheduled message is sent later, even if the service says that it is in no queue yet.
	return endpoint.listedBy !== undefined || isQueued(record, parameters) ? 'queued' : 'sent';
}

/** The recipient that the service gets; a broadcast has none. */
function recipientIn({ request: { parameters, bodyFields } }: Task): unknown {
	return bodyFields?.to ?? parameters?.to;
}
