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
	const own = ground();
	const first = joinNode('forgotten', own);
	expect(joinNode('forgotten', own)).toBe(first);

	leaveNode('forgotten', first, own.clock, true);
	expect(joinNode('forgotten', own)).toBe(first);
	leaveNode('forgotten', first, own.clock, true);
	leaveNode('forgotten', first, own.clock, true);
	expect(joinNode('forgotten', own)).not.toBe(first);
});

test('keeps the journal of a node with something to write, and what is done', () => {
	const [own, other] = [ground(), ground()];
	const node = joinNode('unwritten', own);
	node.states.set('done', { kind: 'done' });
	node.states.set('begun', { kind: 'begun', fact: { id: 'begun' } });

	leaveNode('unwritten', joinNode('unwritten', other), other.clock, false);
	expect([...node.states.keys()]).toEqual(['done', 'begun']);
	leaveNode('unwritten', node, own.clock, false);
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
