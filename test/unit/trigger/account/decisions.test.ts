import {
	afterProbe,
	atCheck,
	atEnd,
	atPublication,
	atRepair,
	atStartup,
	withForeignWebhook,
} from '../../../../nodes/MessagingChannel/trigger/account/decisions';
import type { ProbeResult } from '../../../../nodes/MessagingChannel/trigger/account/decisions';

/** What a row of a table changes of the usual situation. */
type Row<Decide extends (situation: never) => string> = [
	string,
	Partial<Parameters<Decide>[0]>,
	ReturnType<Decide>,
];

test.each([
	['share', 'share'],
	['replace', 'replace'],
	['fail', 'refuse'],
] as const)("a foreign webhook with '%s': %s", (choice, action) => {
	expect(withForeignWebhook(choice)).toBe(action);
});

describe('a trigger that is published', () => {
	const alone = {
		choice: 'fail',
		hub: 'none',
		hasSiblings: false,
		hasOtherSystem: false,
		isTrusted: false,
		isSigned: false,
		isTest: false,
	} as const;
	test.each<Row<typeof atPublication>>([
		['the account has no webhook', {}, 'join'],
		['another system has it', { hasOtherSystem: true }, 'foreign'],
		['another system has it, with Share', { hasOtherSystem: true, choice: 'share' }, 'foreign'],
		['its own n8n shares it with another system', { hasOtherSystem: true, isTrusted: true }, 'join'],
		['its own n8n has it', { hub: 'own', hasSiblings: true }, 'askHub'],
		['its own n8n has it, with Replace', { hub: 'own', hasSiblings: true, choice: 'replace' }, 'askHub'],
		['another n8n has it', { hub: 'foreign' }, 'foreign'],
		['another n8n has it, with Replace', { hub: 'foreign', choice: 'replace' }, 'foreign'],
		['another n8n has it, with Share', { hub: 'foreign', choice: 'share' }, 'askHub'],
		['both n8n share it', { hub: 'foreign', hasSiblings: true }, 'askHub'],
		['both n8n share it, with Replace', { hub: 'foreign', hasSiblings: true, choice: 'replace' }, 'foreign'],
		['it is a test, and the list has its secret', { hub: 'own', isTest: true, isSigned: true }, 'join'],
		['it is a test, and the list has another secret', { hub: 'own', isTest: true }, 'askHub'],
		['it is a test beside another n8n', { hub: 'foreign', isTest: true, isSigned: true }, 'foreign'],
	])('%s', (_, changes, action) => {
		expect(atPublication({ ...alone, ...changes })).toBe(action);
	});
});

describe('a trigger that has asked the hub', () => {
	const nothing = { isOwn: false, isList: false, isSigned: false, looksLikeN8n: false };
	test.each<[ProbeResult, Partial<Parameters<typeof afterProbe>[1]>, ReturnType<typeof afterProbe>]>([
		['reached', {}, 'join'],
		['unproven', {}, 'join'],
		['unreachable', {}, 'refuse'],
		['otherSecret', {}, 'refuse'],
		['dead', { isOwn: true }, 'leaveOutHub'],
		['dead', { isList: true }, 'leaveOutHub'],
		['dead', {}, 'hubIsOtherSystem'],
		['absent', { isList: true }, 'leaveOutHub'],
		['absent', { isOwn: true }, 'hubIsOtherSystem'],
		['absent', { isSigned: true }, 'refuse'],
		['noTrigger', { isOwn: true }, 'refuse'],
		['noTrigger', { isSigned: true }, 'refuse'],
		['noTrigger', { looksLikeN8n: true }, 'hubIsOtherSystem'],
		['noResponse', { isOwn: true }, 'refuse'],
		['noResponse', { looksLikeN8n: true }, 'refuse'],
		['noResponse', {}, 'hubIsOtherSystem'],
	])('%s, with %j', (result, changes, action) => {
		expect(afterProbe(result, { ...nothing, ...changes })).toBe(action);
	});
});

describe('when n8n starts', () => {
	const others = {
		choice: 'fail',
		hubKind: 'workflow',
		isListed: false,
		hasSiblings: true,
		isSigned: false,
		hasJustStarted: false,
	} as const;
	test.each<Row<typeof atStartup>>([
		['the account has no webhook', { hubKind: undefined, hasSiblings: false }, 'join'],
		['the trigger is on the list', { isListed: true, hasSiblings: false }, 'join'],
		['its n8n signed the list', { isSigned: true }, 'join'],
		['its n8n made a list with another secret', {}, 'wait'],
		['the first workflow of its n8n has registered alone', { hasJustStarted: true }, 'join'],
		['another system has the webhook', { hubKind: 'external', hasSiblings: false }, 'refuse'],
		[
			'another system has the webhook, with Replace',
			{ hubKind: 'external', hasSiblings: false, choice: 'replace' },
			'refuse',
		],
		[
			'another system has the webhook, with Share',
			{ hubKind: 'external', hasSiblings: false, choice: 'share' },
			'join',
		],
		['another n8n has it', { hasSiblings: false }, 'refuse'],
		['another n8n has it, with Share', { hasSiblings: false, choice: 'share' }, 'wait'],
	])('%s', (_, changes, action) => {
		expect(atStartup({ ...others, ...changes })).toBe(action);
	});
});

describe('a check finds that', () => {
	const right = {
		isHub: false,
		isSigned: true,
		isInDoubt: false,
		isReceiverGone: false,
		isHubSilent: false,
		isInOrder: true,
	};
	test.each<Row<typeof atCheck>>([
		['all is right', {}, 'leave'],
		['the trigger is not on the list as it should be', { isInOrder: false }, 'repair'],
		['a receiver is gone', { isHub: true, isReceiverGone: true }, 'repair'],
		['the hub is silent', { isHubSilent: true }, 'repair'],
		['the hub has another secret', { isInDoubt: true }, 'leave'],
		['the hub has another secret, and is gone', { isInDoubt: true, isReceiverGone: true }, 'repair'],
		['another one has another secret', { isHub: true, isInDoubt: true }, 'leave'],
		[
			'another one has the secret of the list, and the hub has not',
			{ isHub: true, isInDoubt: true, isSigned: false, isInOrder: false },
			'leave',
		],
		['the hub has verified an event', { isHub: true, isSigned: false, isInOrder: false }, 'repair'],
	])('%s', (_, changes, action) => {
		expect(atCheck({ ...right, ...changes })).toBe(action);
	});
});

describe('a repair finds that', () => {
	const listed = { choice: 'fail', isEnded: false, isListed: true, isHubSilent: false } as const;
	test.each<Row<typeof atRepair>>([
		['the trigger is on the list', {}, 'keepList'],
		['it is not', { isListed: false }, 'join'],
		['n8n has ended it meanwhile', { isListed: false, isEnded: true, isHubSilent: true }, 'giveUp'],
		['the hub is silent', { isHubSilent: true }, 'becomeHub'],
		['the hub is silent, and the trigger not on its list', { isHubSilent: true, isListed: false }, 'join'],
		['the hub is silent, with Share', { isHubSilent: true, isListed: false, choice: 'share' }, 'becomeHub'],
	])('%s', (_, changes, action) => {
		expect(atRepair({ ...listed, ...changes })).toBe(action);
	});
});

describe('a trigger that ends', () => {
	const alone = { isListed: true, canRestore: false };
	test.each<Row<typeof atEnd>>([
		['of itself', {}, 'removeItself'],
		['while another system has the webhook', { isListed: false, canRestore: true }, 'leave'],
		['before its publication has succeeded', { canRestore: true }, 'restore'],
	])('%s', (_, changes, action) => {
		expect(atEnd({ ...alone, ...changes })).toBe(action);
	});
});
