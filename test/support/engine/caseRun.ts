import type { IBinaryKeyData, INodeParameters } from 'n8n-workflow';

import type { Case, FileContent, InputItem, OperationCases } from '../operations/case';
import type { RunOptions } from './run';

/** The run of the node that a case is about; of its files, every item gets the first. */
export function caseRun(
	{ resource, operation }: Pick<OperationCases, 'resource' | 'operation'>,
	{ parameters, input = [{}] }: Pick<Case, 'parameters' | 'input'>,
): Pick<RunOptions, 'operation' | 'items' | 'binary' | 'options'> & { parameters: INodeParameters } {
	const { options = {}, ...others } = parameters;
	const [{ file }] = input as [InputItem];
	return {
		operation: `${resource}:${operation}`,
		items: input.map(({ json }) => ({ ...json })),
		...(file && { binary: binaryOf(file) }),
		parameters: others,
		options: options as INodeParameters,
	};
}

const binaryOf = ({ fileName, mimeType, base64 }: FileContent): IBinaryKeyData => ({
	data: { data: base64, mimeType, fileName },
});
