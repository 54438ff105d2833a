import type { Client } from '../../../../nodes/MessagingChannel/api/client';
import { InvalidInput } from '../../../../nodes/MessagingChannel/operation/input';
import { notePollingTaker, requireTaker } from '../../../../nodes/MessagingChannel/sendAndWait/inChat/takers';

test('of two triggers that poll and take answers, one is enough', async () => {
	const call = async () => await Promise.resolve({ data: null });
	const check = async () =>
		await requireTaker(
			{ call } as Pick<Client, 'call'> as Client,
			'tag',
			'https://n8n.example.com/webhook-waiting',
		);
	const ends = [notePollingTaker('tag'), notePollingTaker('tag')];
	ends[0]?.();
	await expect(check()).resolves.toBeUndefined();
	ends[1]?.();
	await expect(check()).rejects.toThrow(InvalidInput);
});
