import { isFirstAnswer } from '../../../nodes/MessagingChannel/waiting/once';

const NOW = 1_750_000_000_000;

test('of several answers in the same moment only one is the first', () => {
	const answers = [0, 0, 5, 9_999].map((later) => isFirstAnswer('one', NOW + later));
	expect(answers).toEqual([true, false, false, false]);
});

test('answers to different questions do not mind each other', () => {
	expect(['two', 'three'].map((question) => isFirstAnswer(question, NOW))).toEqual([true, true]);
});

test('an answer is forgotten when n8n refuses others itself, so that one that n8n lost can be given again', () => {
	expect([0, 10_001].map((later) => isFirstAnswer('four', NOW + later))).toEqual([true, true]);
});
