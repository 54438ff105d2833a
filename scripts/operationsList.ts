import { resources } from '../nodes/MessagingChannel/actions';
import type { Endpoint } from '../nodes/MessagingChannel/api/apiRequest';

/** What the service does not publish of an operation. */
const DERIVED: Record<Endpoint['inferred'] & string, string> = {
	body: ', fields derived',
	endpoint: ', derived',
};

/** What each operation calls and the permission for it, by resource, in the order of the panel. */
export function operationsList(): string {
	const lineOf = (name: string, { method, path, permission, inferred }: Endpoint): string => {
		const needed = permission === 'valid key' ? '' : `, \`${permission}\``;
		return `- ${name}: \`${method} ${path}\`${needed}${inferred ? DERIVED[inferred] : ''}`;
	};
	return resources
		.map(({ name, operations }) =>
			[`**${name}**`, operations.map((one) => lineOf(one.name, one.endpoint)).join('\n')].join('\n\n'),
		)
		.join('\n\n');
}
