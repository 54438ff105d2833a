import groupBy from 'lodash/groupBy';
import partition from 'lodash/partition';

import type { ApiRequest } from '../../api/apiRequest';
import { completedWith } from '../../recipients/phoneNumber';
import { recipientKey } from '../../recipients/recipient';
import { endingOf } from '../../recipients/recipientList';
import { withoutSkipped, type Addressed } from './skipRecipients';

/**
 * Leaves out the numbers of a list that begin with 0 and are in it with their country code, too: the service adds that of the account
 * (API spec, "What the service does" 7).
 *
 * @param country that of the account, which is read only if there may be such a number
 * @throws ApiError if it cannot be read
 */
export async function withoutRepeated(
	request: ApiRequest,
	country: () => { read(): Promise<void>; code(): string | undefined },
): Promise<Addressed> {
	const [national, full] = partition(request.parameters?.recipients as string[], isNational);
	const byEnding = groupBy(full, endingOf);
	const all = { request, skipped: [] };
	if (!national.some((number) => endingOf(number) in byEnding)) return all;
	const { read, code } = country();
	await read();
	const own = code();
	if (own === undefined) return all;
	return await withoutSkipped(request, async (recipient) => {
		const keys = isNational(recipient) ? completedWith(own, recipient).map(recipientKey) : [];
		const other = byEnding[endingOf(recipient)]?.find((each) => keys.includes(recipientKey(each)));
		return await Promise.resolve(other && `The same person is in the list as ${other}`);
	});
}

function isNational(recipient: string): boolean {
	return recipient.startsWith('0');
}
