import { fields } from './panel';
import { resources } from '../../nodes/MessagingChannel/actions';
import { rotateSecret } from '../../nodes/MessagingChannel/actions/webhook/rotateSecret';
import { set } from '../../nodes/MessagingChannel/actions/webhook/set';

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

test('whoever sets the webhook or rotates the secret is told what that does to the trigger', () => {
	for (const { notice } of [set, rotateSecret]) expect(notice).toContain('Messaging Channel Trigger');
});
