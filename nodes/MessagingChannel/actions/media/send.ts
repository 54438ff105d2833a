import { InvalidInput } from '../../operation/input';
import type { Field, Operation } from '../../operation/operation';
import { mediaRequest, sendFields } from './mediaFields';
import { sendDocument } from './sendDocument';
import { sendSticker } from './sendSticker';
import { sendVoice } from './sendVoice';

/** Each flag with the operation that has the same effect (API spec, "Media"). */
const FLAGS: Record<string, Operation> = {
	asDocument: sendDocument,
	asSticker: sendSticker,
	asVoice: sendVoice,
};

const flagFields: Field[] = [
	{
		displayName: 'Send as Document',
		name: 'asDocument',
		type: 'boolean',
		default: true,
		description: 'Whether to send the file as a document without a preview',
	},
	{
		displayName: 'Send as Sticker',
		name: 'asSticker',
		type: 'boolean',
		default: true,
		description: 'Whether to send the file as a sticker',
	},
	{
		displayName: 'Send as Voice Note',
		name: 'asVoice',
		type: 'boolean',
		default: true,
		description: 'Whether to send the file as a voice note',
	},
];

export const send: Operation = {
	value: 'send',
	name: 'Send',
	action: 'Send media',
	description: 'Send a file of any type to a person or group',
	endpoint: { method: 'POST', path: '/messages/send-media', permission: 'messages:send', sends: 'file' },
	...sendFields,
	additionalFields: [...sendFields.additionalFields, ...flagFields],
	request: (input) => {
		const [flag, other] = flagFields.filter(({ name }) => input.parameters[name] === true);
		if (flag && other) {
			throw new InvalidInput(
				`is on together with '${other.displayName}'`,
				'Choose only one of document, sticker and voice note.',
				flag.displayName,
			);
		}
		const request = mediaRequest(input);
		// Multipart has no fields for the flags, so the equivalent endpoint is called.
		const equivalent = flag && FLAGS[flag.name];
		return request.file && equivalent ? { ...request, endpoint: equivalent.endpoint } : request;
	},
};
