import { asAttachment, outputBinaryField } from '../../fields/download';
import { InvalidInput, shown } from '../../operation/input';
import type { Operation } from '../../operation/operation';

export const downloadFile: Operation = {
	value: 'downloadFile',
	name: 'Download File',
	action: 'Download file',
	description: 'Download a stored file by name',
	endpoint: { method: 'GET', path: '/media/{filename}', permission: 'messages:read' },
	fields: [
		{
			displayName: 'File Name',
			name: 'filename',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. 3EB0C767D82B.jpg',
			description: "Name of the file, from the 'media' field of a message",
			toApi: (entered: string) => {
				const filename = entered.trim();
				// A name with folders would change the path of the request.
				if (/^[^/\\\p{Cc}\p{Cs}]+$/u.test(filename) && !/^\.+$/.test(filename)) return { filename };
				throw new InvalidInput(
					`is not a valid file name: ${shown(entered)}`,
					'Enter only the name, without folders, exactly as the service returned it.',
				);
			},
		},
		outputBinaryField,
	],
	options: [asAttachment],
	download: () => true,
};
