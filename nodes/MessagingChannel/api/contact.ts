import type { IDataObject } from 'n8n-workflow';

import { idOf, nonEmptyText, textsOf } from './values';

/** A contact of the account (API spec, "Resources and their fields"). */
export interface Contact {
	/** Its number as the service writes it; undefined if that is not understood. */
	phone: string | undefined;
	name: string | undefined;
	/** Undefined if the names of its tags are not understood. */
	tags: string[] | undefined;
	/** The contact as the service sent it. */
	record: IDataObject;
}

/** Parses a contact. */
export function parseContact(record: IDataObject): Contact {
	const { phone, name, tags } = record;
	return { phone: idOf(phone), name: nonEmptyText(name), tags: textsOf(tags), record };
}
