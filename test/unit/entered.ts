import type { ApiRequest, FilePart } from '../../nodes/MessagingChannel/api/apiRequest';
import type { Operation } from '../../nodes/MessagingChannel/operation/operation';
import { readInput } from '../../nodes/MessagingChannel/operation/readInput';

/** A photo in the input item. */
const photo: FilePart = {
	filename: 'photo.jpg',
	mimetype: 'image/jpeg',
	source: 'UE5HIQ==',
	size: async () => 4,
	open: async () => Buffer.from('jpeg'),
};

/**
 * The request that an operation makes of what the user entered, by the names of the parameters.
 *
 * @throws InvalidInput for a value that cannot be sent
 */
export function requestFor(operation: Operation, entered: Record<string, unknown>): ApiRequest {
	const input = readInput(operation, {
		read: (name, fallback) => (name in entered ? entered[name] : fallback),
		timezone: 'Europe/Istanbul',
		file: () => photo,
	});
	return {
		endpoint: operation.endpoint,
		...(operation.request?.(input) ?? { parameters: input.parameters }),
	};
}

/** A value that was chosen from the list of a resource locator, or typed in one of its modes. */
export const located = (mode: string, value: unknown): object => ({ __rl: true, mode, value });
