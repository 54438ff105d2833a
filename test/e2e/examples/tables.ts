import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { itemsNode, manualTrigger, node, workflow } from '../../support/n8n/workflow';
import type { World } from '../../support/world/world';

const row = (operation: string, table: string, more: IDataObject) =>
	node(
		'Rows',
		'n8n-nodes-base.dataTable',
		{ resource: 'row', operation, dataTableId: { __rl: true, mode: 'name', value: table }, ...more },
		{ typeVersion: 1 },
	);

/** What a user sees in a data table, without n8n's own columns. */
export async function rowsOf({ n8n }: World, table: string): Promise<IDataObject[]> {
	const { id } = await n8n.api.createWorkflow(
		workflow('Reads a table', [manualTrigger(), row('get', table, { returnAll: true })]),
	);
	const execution = await n8n.api.run(id);
	if (execution.error) throw new Error(execution.error.message);
	return execution.items('Rows').map(({ json }) => omit(json, ['id', 'createdAt', 'updatedAt']));
}

/** Enters rows into a data table, as a user does by hand. */
export async function enterRows({ n8n }: World, table: string, rows: object[]): Promise<void> {
	const columns = { mappingMode: 'autoMapInputData', value: {} };
	const { id } = await n8n.api.createWorkflow(
		workflow('Fills a table', [manualTrigger(), itemsNode(rows), row('insert', table, { columns })].flat()),
	);
	const execution = await n8n.api.run(id);
	if (execution.error) throw new Error(execution.error.message);
}
