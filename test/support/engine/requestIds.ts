import type { IDataObject } from 'n8n-workflow';

import { toEach, type Engine } from './engine';
import type { KeyRow } from './keyRow';
import type { Run, RunOptions } from './run';
import { byPhone } from '../operations/parameters';

/** Each message has the number of its row as its request ID. */
export const ID = { requestId: '={{ $json.row }}-march' };

/** One text to each of so many people, with the numbers of their rows. */
export const rows = (count: number, first = 0, text = 'm') =>
	toEach(count + first, text)
		.map((item, row) => ({ ...item, row }))
		.slice(first);

/** Returns a function that runs the node in an n8n that has been started anew: only the row is left. */
export function startedAnew(engine: Engine): (row: KeyRow, options: RunOptions) => Promise<Run> {
	let processes = 0;
	return async (row, options) => {
		const name = `started anew ${++processes}`;
		return await engine.run({
			options: ID,
			executionId: name,
			...options,
			row,
			isStartedAnew: true,
			node: { id: name, ...options.node },
		});
	};
}

/** An image to each of these people, with the text as its caption. */
export const images = (items: IDataObject[]): RunOptions => ({
	operation: 'media:sendImage',
	items,
	parameters: {
		to: byPhone('={{ $json.to }}'),
		mediaSource: 'url',
		mediaUrl: 'https://example.com/image.png',
		additionalFields: { caption: '={{ $json.message }}' },
	},
});

/** Returns a function that runs the node in an n8n that is killed when it sends a text, and returns what is left of the row. */
export function killedWhenSending(engine: Engine) {
	let killed = 0;
	/** @param when whether the service gets the text */
	return async (
		message: string,
		when: 'before' | 'after',
		row: KeyRow,
		options: RunOptions,
	): Promise<KeyRow> =>
		await new Promise((resolve) => {
			let isKilled = false;
			void engine.runBeside({
				...options,
				row,
				node: { id: `killed ${++killed}` },
				options: { ...ID, maxConcurrency: 1, ...options.options },
				transport: async ({ body }, send) => {
					const { message: text, caption = text } = (body ?? {}) as IDataObject;
					if (!isKilled && caption === message) {
						isKilled = true;
						if (when === 'after') await send();
						resolve({ ...row });
					}
					return isKilled ? await new Promise(() => {}) : await send();
				},
			});
		});
}
