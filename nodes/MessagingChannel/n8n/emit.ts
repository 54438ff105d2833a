import type { INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';

/**
 * Starts an execution with one item.
 *
 * @returns how it ended; undefined if n8n could not start it
 */
export async function emitAndWait(
	context: Pick<ITriggerFunctions, 'emit' | 'helpers'>,
	item: INodeExecutionData,
): Promise<IRun | undefined> {
	const done = context.helpers.createDeferredPromise<IRun>();
	context.emit([[item]], undefined, done);
	return await done.promise.catch(() => undefined);
}
