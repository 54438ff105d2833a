import { download, outputBinaryField } from '../../fields/download';
import { InvalidInput } from '../../operation/input';
import type { Operation } from '../../operation/operation';

export const downloadFile: Operation = {
	value: 'downloadFile',
	name: 'Download File',
	action: 'Download file',
	description: 'Download a stored file by its name',
	endpoint: { method: 'GET', path: '/media/{filename}', permission: 'messages:read' },
	fields: [
		{
			displayName: 'File Name',
			name: 'filename',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. 3EB0C767D82B.jpg',
			description: 'Name of the file, as the media of a message gives it',
			toApi: (filename: string) => {
				// A name with folders would change the path of the request.
				if (/^[^/\\\p{Cc}\p{Cs}]+$/u.test(filename) && !/^\.+$/.test(filename)) return { filename };
				throw new InvalidInput(
					`is not a file name: '${filename}'`,
					'Enter the name alone, without folders, as the service gave it.',
				);
			},
		},
		outputBinaryField,
	],
	options: [download],
	download: () => true,
};
