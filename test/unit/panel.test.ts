import { fields } from './panel';
import { resources } from '../../nodes/MessagingChannel/actions';
import { MessagingChannel } from '../../nodes/MessagingChannel/MessagingChannel.node';

const WITHOUT_DESCRIPTION = ['notice', 'hidden', 'collection'];

test('every input says what it is for', () => {
	const inputs = fields.filter(
		({ what: { type, name } }) =>
			!WITHOUT_DESCRIPTION.includes(type) && !['resource', 'operation'].includes(name),
	);
	expect(inputs.length).toBeGreaterThan(80);
	const silent = inputs.filter(({ what: { description, hint } }) => !(description || hint));
	expect(silent.map(({ where }) => where)).toEqual([]);
});

test('no two operations have the same action, by which the list of nodes names them', () => {
	const actions = resources.flatMap(({ operations }) => operations.map(({ action }) => action));
	expect(actions).toEqual([...new Set(actions)]);
});

test('every list of the panel has a method of the node', () => {
	const { listSearch, loadOptions, resourceMapping } = new MessagingChannel().methods;
	const methods = Object.keys({ ...listSearch, ...loadOptions, ...resourceMapping });
	const asked = fields.flatMap(({ what: { typeOptions = {}, modes = [] } }) => [
		typeOptions.loadOptionsMethod,
		typeOptions.resourceMapper?.resourceMapperMethod,
		...modes.map((mode) => mode.typeOptions?.searchListMethod),
	]);
	expect([...new Set(asked.filter(Boolean))].sort()).toEqual(methods.sort());
});
