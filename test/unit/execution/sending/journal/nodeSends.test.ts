import {
	joinNode,
	leaveNode,
} from '../../../../../nodes/MessagingChannel/execution/sending/journal/nodeSends';
import { virtualClock } from '../../../../support/engine/clock';
import { setRow } from '../../../../support/journal/setRow';

const ground = (isShared = false) => ({
	clock: virtualClock(),
	row: setRow(),
	isShared,
	onFailure: () => {},
});

test('forgets a node with its last execution', () => {
	const first = joinNode('forgotten', ground());
	expect(joinNode('forgotten', ground())).toBe(first);

	leaveNode('forgotten', first, true);
	expect(joinNode('forgotten', ground())).toBe(first);
	leaveNode('forgotten', first, true);
	leaveNode('forgotten', first, true);
	expect(joinNode('forgotten', ground())).not.toBe(first);
});

test('keeps the journal of a node with something to write, and what is done', () => {
	const node = joinNode('unwritten', ground());
	node.states.set('done', { kind: 'done' });
	node.states.set('begun', { kind: 'begun', fact: { id: 'begun' } });

	leaveNode('unwritten', joinNode('unwritten', ground()), false);
	expect([...node.states.keys()]).toEqual(['done', 'begun']);
	leaveNode('unwritten', node, false);
	expect([...node.states.keys()]).toEqual(['done']);
	expect(joinNode('unwritten', ground())).toBe(node);
});

test('uses what the latest execution has of n8n, and looks at others once the row was shared', () => {
	const latest = ground();
	const node = joinNode('shared', ground());
	expect(node.ground.isShared).toBe(false);

	joinNode('shared', ground(true));
	joinNode('shared', latest);
	expect(node.ground).toMatchObject({ row: latest.row, isShared: true });
});
