import './n8nFolder';

import { truncateSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';

/** n8n's own store of files on disk. All that the tests of a file download goes there. */
export function useBinaryStore() {
	// Services of n8n's engine are kept by its own copy of this package.
	const { Container } = createRequire(require.resolve('n8n-core'))('@n8n/di') as {
		Container: { get: <T>(service: new (...given: never[]) => T) => T; reset: () => void };
	};
	const store = Container.get(BinaryDataService);
	beforeAll(async () => await store.init());
	afterAll(() => Container.reset());
	const opened: unknown[] = [];
	const { getAsStream } = store;
	store.getAsStream = async (...given) => {
		const stream = await getAsStream.apply(store, given);
		opened.push(stream);
		return stream;
	};
	const location = { type: 'execution' as const, workflowId: 'workflow', executionId: '1' };
	return {
		/** The files that were opened. As long as they are known here, nothing closes them but who opened them. */
		opened,
		keep: async (content: Buffer, file: Partial<IBinaryData> = {}): Promise<IBinaryData> =>
			await store.store(location, content, {
				data: '',
				mimeType: 'image/jpeg',
				fileName: 'photo.jpg',
				...file,
			}),
		/** Leaves the file another length than n8n has noted. */
		resize: ({ id = '' }: IBinaryData, length: number) => truncateSync(store.getPath(id), length),
		read: async (file: IBinaryData): Promise<Buffer> => await store.getAsBuffer(file),
		forget: async ({ id = '' }: IBinaryData) => await store.deleteManyByBinaryDataId([id]),
	};
}
