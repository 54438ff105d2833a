import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { InvalidInput } from '../../../../nodes/MessagingChannel/operation/input';
import {
	notePollingReceiver,
	requireAnswerReceiver,
} from '../../../../nodes/MessagingChannel/sendAndWait/inChat/answerReceivers';

test('of two triggers that poll and take answers, one is enough', async () => {
	const call = async () => await Promise.resolve({ data: null });
	const check = async () =>
		await requireAnswerReceiver(
			{ call } as Pick<Client, 'call'> as Client,
			'tag',
			'https://n8n.example.com/webhook-waiting',
		);
	const ends = [1, 2].map(() => notePollingReceiver(async () => await Promise.resolve('tag')));
	ends[0]?.();
	await expect(check()).resolves.toBeUndefined();
	ends[1]?.();
	await expect(check()).rejects.toThrow(InvalidInput);
});
