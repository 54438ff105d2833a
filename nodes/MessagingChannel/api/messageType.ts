import type { IDataObject } from 'n8n-workflow';

/** Whether a message has the type of texts. A file with a caption has another one. */
export function hasTextType({ type }: IDataObject): boolean {
	return (type ?? 'chat') === 'chat';
}
