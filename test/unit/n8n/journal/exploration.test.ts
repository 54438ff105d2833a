// Every interleaving of small worlds with the shipped journal: what holds, and which rule each promise rests on.
import { known, open } from '../../../../nodes/MessagingChannel/n8n/journal/encoding';
import { explore, type Judge } from '../../../support/journal/explore';
import type { Belief, Truth, World } from '../../../support/journal/life';
import {
	send,
	waiting,
	batch,
	event,
	overlapping,
	ending,
	lookingUp,
	message,
	answer,
	renewing,
	look,
	lookingForNote,
} from '../../../support/journal/users';

const PROMISES = {
	'done means made': (t: Truth, b: Belief) => b.state === 'done' && b.see !== 'answer' && !t.made[b.id ?? ''],
	'never made twice': (t: Truth, b: Belief) => b.see === 'acted' && (t.made[b.id ?? ''] ?? 0) > 1,
	'what is settled is not forgotten': (t: Truth, b: Belief) =>
		t.certain[b.id ?? ''] === 'done' && b.state === 'absent',
	'what is settled is seen': (t: Truth, b: Belief) =>
		t.certain[b.id ?? ''] === 'done' && b.state !== undefined && b.state !== 'done' && b.state !== 'error',
	'what was cancelled is free': (t: Truth, b: Belief) =>
		t.certain[b.id ?? ''] === 'absent' && (b.state === 'open' || b.state === 'done'),
	'the same tag means the same text': (t: Truth, b: Belief) =>
		b.isSame === true && (t.tags[b.id ?? ''] ?? []).some((tag) => tag !== b.tag),
	'the same text is found': (t: Truth, b: Belief) =>
		b.see === 'send' && b.state === 'open' && t.tags[b.id ?? '']?.[0] === b.tag && b.isSame === false,
	'not again once settled': (t: Truth, b: Belief) => b.see === 'acted' && t.certain[b.id ?? ''] === 'done',
	'three tries at most': (t: Truth, b: Belief) => b.see === 'acted' && (t.made[b.id ?? ''] ?? 0) > 3,
	'what was handed over is known': (t: Truth, b: Belief) =>
		b.see === 'answer' && t.made[b.id ?? ''] !== undefined && b.state !== 'done' && b.state !== 'error',
	'a beginning that waits is told the truth': (t: Truth, b: Belief) =>
		b.see === 'send' && b.state === 'open' && !t.made[b.id ?? ''],
	'a look leaves nothing': (_: Truth, b: Belief) => b.see === 'look' && b.id === '1' && b.state !== 'absent',
};
type PromiseName = keyof typeof PROMISES;

const judgeOf =
	(names: readonly PromiseName[]): Judge =>
	(truth, belief) => {
		const broken = names.find((name) => PROMISES[name](truth, belief));
		// Whoever begins it anew decides anew.
		if (belief.id !== undefined && belief.see !== 'look' && truth.certain[belief.id] === 'absent')
			delete truth.certain[belief.id];
		return broken;
	};

/** Rules that are switched off. */
const WITHOUT = {
	'known and open are recorded at once': { encoding: { begun: (id) => [known(id)] } },
	'known is recorded before open': { encoding: { begun: (id) => [open(id), known(id)] } },
	'known goes where open stood alone': {
		encoding: {
			unneededAfter: (before, id) => (before.has(known(id)) && !before.has(open(id)) ? [open(id)] : []),
		},
	},
	'a beginning takes the open of what is done out again': { encoding: { unneededAfter: () => [] } },
	'an end takes out what was begun': { encoding: { unneededAfterEnd: () => [] } },
	'an end takes out what is begun with it': {
		encoding: { unneededAfterEnd: (before, _, id) => (before.has(known(id)) ? [open(id)] : []) },
	},
	'a cancellation takes both keys': { encoding: { cancelled: (id) => [open(id)] } },
	'a look takes out what it recorded': { encoding: { unneededAfterLook: () => [] } },
	'a tag is guarded while it is read': { encoding: { tagLook: (tag) => [known(tag)] } },
	'what cannot be undone is what is older than a call': { neverWaits: true },
	'what another process undoes is repaired': { isShared: false },
} satisfies Record<string, Partial<World>>;
type Rule = keyof typeof WITHOUT;

const once = [send('0')];
const [made, twice, kept, seen] = [
	'done means made',
	'never made twice',
	'what is settled is not forgotten',
	'what is settled is seen',
] as const;
const guess = [look('0')];

/** A world, what holds in it, and the rules without which that breaks. */
const WORLDS: Record<string, [world: World, holds: PromiseName[], rules?: Rule[]]> = {
	'sends, two kills, a failing call': [
		{
			kills: 2,
			fails: 1,
			lives: [
				[
					[...once, look('1')],
					[...once, send('1')],
					[...guess, ...once],
				],
			],
		},
		[made, twice, kept],
		['known and open are recorded at once', 'a cancellation takes both keys'],
	],
	'sends, and nothing fails': [
		{ lives: [[[...guess, ...once, look('1')], [...once, look('1')], guess]] },
		[seen, 'what was cancelled is free', 'a look leaves nothing'],
		['a beginning takes the open of what is done out again', 'a look takes out what it recorded'],
	],
	'sends of texts, two kills, a failing call': [
		{ kills: 2, fails: 1, lives: [[[send('0', 'a')], [send('0', 'b')], [send('0', 'b')], [send('0', 'a')]]] },
		['the same tag means the same text', made, twice],
		['a tag is guarded while it is read'],
	],
	'sends of texts, a kill after the send': [
		{ kills: 1, ends: ['made'], lives: [[[send('0', 'a')], [send('0', 'a')]]] },
		['the same text is found'],
	],
	'events, two kills, a failing call': [
		{ kills: 2, fails: 1, lives: [[[event('0')], [event('0'), look('1')], [event('0')]]] },
		[made],
		['known and open are recorded at once'],
	],
	'events and messages, and nothing fails': [
		{ lives: [[[event('0'), message('1')], [event('0')], [event('0'), message('1')]]] },
		['not again once settled'],
		['a beginning takes the open of what is done out again', 'an end takes out what was begun'],
	],
	'two processes, of which one looks for a note': [
		{
			lives: [[[lookingForNote('0'), lookingForNote('0')], [lookingForNote('0')]], [[look('1'), look('1')]]],
		},
		[made],
		['what another process undoes is repaired', 'what cannot be undone is what is older than a call'],
	],
	'an end that is written with a beginning': [
		{ lives: [[[overlapping('0')], guess]] },
		[seen],
		['an end takes out what is begun with it'],
	],
	'messages, four kills': [
		{ kills: 4, lives: [Array.from({ length: 5 }, () => [message('0')])] },
		[made, 'three tries at most'],
	],
	'answers, a kill': [
		{ kills: 1, ends: ['made'], lives: [[[answer('0')], [answer('0')]]] },
		['what was handed over is known'],
	],
	'a fact is renewed, two kills, a failing call': [
		{
			kills: 2,
			fails: 1,
			ends: ['made', 'refused'],
			lives: [
				[
					[...once, renewing('0')],
					[...once, send('1')],
					[look('0'), ...once],
				],
			],
		},
		[made, twice, kept],
	],
	'a row that rolls': [
		{ unsettled: true, policy: { rolls: 4 }, lives: [[[send('0'), send('1'), send('2'), send('0')], once]] },
		[made],
		['known is recorded before open', 'known goes where open stood alone'],
	],
	'two processes with an ID each, a kill': [
		{ unsettled: true, kills: 1, ends: ['made'], lives: [[once, once], [[send('1')]]] },
		[made],
		['known and open are recorded at once'],
	],
	'two processes that settle': [
		{ ends: ['made'], lives: [[once, guess], [[look('1')]]] },
		[made, kept],
		['what cannot be undone is what is older than a call'],
	],
	'two processes, of which one begins what the other one looks for': [
		{ lives: [[[event('0')], guess], [[async ({ journal }) => void (await journal.begin([{ id: '0' }]))]]] },
		[made, kept],
	],
	'two processes, of which one looks for a message that the other one ends': [
		{
			ends: ['made'],
			policy: { forgetsOpen: true },
			lives: [[[ending('0')]], [[lookingUp('0'), lookingUp('0'), lookingUp('0')]]],
		},
		[made, seen],
	],
	'two processes with the same ID': [{ ends: ['made'], lives: [[once, once], [once]] }, [made]],
	'two processes with an ID each, which wait, a kill, a failing call': [
		{
			unsettled: true,
			kills: 1,
			fails: 1,
			ends: ['made'],
			lives: [[[waiting('0')], [waiting('0')]], [[waiting('1')]]],
		},
		[made, twice],
	],
	'two processes with the same ID, which wait, a kill': [
		{
			unsettled: true,
			kills: 1,
			ends: ['made', 'refused'],
			lives: [[[waiting('0')], [waiting('0')]], [[waiting('0')]]],
		},
		[made, twice],
		['what cannot be undone is what is older than a call'],
	],
	'two processes with an ID each, which wait, and nothing fails': [
		{ unsettled: true, ends: ['made'], lives: [[[waiting('0'), waiting('1')]], [[waiting('2')]]] },
		['a beginning that waits is told the truth'],
	],
	'two processes with the same IDs, which begin them together and wait': [
		{ unsettled: true, ends: ['made'], lives: [[[batch('0', '1')]], [[batch('1', '0')]]] },
		[made, twice],
	],
	'two processes with the same ID, which wait and settle': [
		{ ends: ['made', 'refused'], lives: [[[waiting('0')]], [[waiting('0')], [waiting('0')]]] },
		[made, twice],
	],
};

const entries = Object.entries(WORLDS);

test.each(entries)('%s', async (_, [world, holds]) => {
	const { states, broken } = await explore(world, judgeOf(holds));
	expect(broken).toBeUndefined();
	expect(states).toBeGreaterThan(0);
});

test.each(
	entries.flatMap(([name, [world, holds, rules = []]]) =>
		rules.map((rule) => [name, rule, world, holds] as const),
	),
)('%s: it breaks without the rule that %s', async (_, rule, world, holds) => {
	const { broken } = await explore({ ...world, ...(WITHOUT[rule] as Partial<World>) }, judgeOf(holds));
	expect(broken).toBeDefined();
});
