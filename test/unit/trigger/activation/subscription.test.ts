import { clock } from '../../../../nodes/MessagingChannel/trigger/account/clock';
import { desiredSubscriptionOf } from '../../../../nodes/MessagingChannel/trigger/activation/subscription';
import { activatedTriggerOf } from '../../../../nodes/MessagingChannel/trigger/delivery/trigger';
import { OWN_URL, triggerOf } from './triggerOf';

test.each([
	[undefined, 'fail', 'fail'],
	['fail', 'fail', 'fail'],
	['share', 'share', 'share'],
	// The other system must have its webhook back when the test ends.
	['replace', 'replace', 'share'],
	['SHARE', 'fail', 'fail'],
	['', 'fail', 'fail'],
])(
	"with 'If Webhook Exists' %j, a published trigger chooses %s, and a test %s",
	(chosen, published, tested) => {
		const parameters = { 'options.ifWebhookExists': chosen };
		const { context } = triggerOf({ baseUrl: 'https://service.example.com', parameters });

		const trigger = activatedTriggerOf(context);
		const choices = [false, true].map(
			(isForTest) => desiredSubscriptionOf(trigger, OWN_URL, isForTest, {}).ifWebhookExists,
		);

		expect(choices).toEqual([published, tested]);
	},
);

test('a test takes no answers, and its entry is void after ten minutes', () => {
	jest.spyOn(clock, 'now').mockReturnValue(1_000);
	const parameters = { 'options.takeAnswers': true };
	const { context } = triggerOf({ baseUrl: 'https://service.example.com', parameters });
	const credential = { baseUrl: 'https://service.example.com', apiKey: 'key' };
	const { subscriber } = desiredSubscriptionOf(activatedTriggerOf(context), OWN_URL, true, credential);
	expect(subscriber).toMatchObject({ kind: 'test', expiresAt: 601, answerTag: undefined });
});
