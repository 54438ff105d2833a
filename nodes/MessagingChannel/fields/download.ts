import type { Field } from '../operation/operation';

/** The binary field of the output item that holds a downloaded file. */
export const outputBinaryField: Field = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	required: true,
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
	api: [],
};

/** Whether the service sends the file as an attachment (API spec, "Media"). */
export const asAttachment: Field = {
	displayName: 'As Attachment',
	name: 'download',
	type: 'boolean',
	default: true,
	description:
		'Whether the service marks the file as one that a browser saves. The content that n8n gets is the same.',
};
