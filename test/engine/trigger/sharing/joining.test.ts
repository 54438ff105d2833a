import type { Trigger } from '../../../support/engine/trigger';
import { eventually } from '../../../support/poll';
import { idsOf, MINUTE, useSharing, type Publication } from './sharing';

const sharing = useSharing();
const { place, api, time, always, create, publish, pair, otherN8n, config, listed, urlOf } = sharing;
const { subscriberOf, setWebhook, foreign, deliver, die, endings, requestsOf } = sharing;

describe('two n8n on one account', () => {
	const join = async (choice: string) =>
		await publish({ options: { ifWebhookExists: choice }, n8nUrl: otherN8n() });

	test('share it with Share, and each event makes one hop', async () => {
		const first = [await publish(), await publish()];
		const second = [await join('share'), await join('share')];

		expect(await deliver()).toBe(200);
		expect([...first, ...second].map(idsOf)).toEqual(Array(4).fill(['event']));
		for (const trigger of first) await trigger.deactivate();
		expect(await deliver('later')).toBe(200);
		expect(second.map(idsOf)).toEqual(Array(2).fill(['event', 'later']));
	});

	test('are together again after a start when somebody has removed the webhook', async () => {
		const triggers = [...(await pair())];
		await api('DELETE', '/webhooks');

		for (const trigger of triggers) await trigger.activate('init');

		expect(await deliver()).toBe(200);
		expect(triggers.map(idsOf)).toEqual([['event'], ['event']]);
	});
});

describe('a test', () => {
	const listen = async (publication?: Publication) => {
		const trigger = await create(publication);
		await trigger.activate('manual');
		return trigger;
	};

	test('joins and leaves, and production gets every event', async () => {
		const production = await publish();
		const before = await config();
		const tests = [await listen({ events: ['message.sent', 'message.received'] }), await listen()];
		expect(await config()).toMatchObject({ events: ['message.received', 'message.sent'] });
		// Only the first publication has a sample sent.
		expect(await requestsOf('webhook.test')).toBe(1);

		const all = [production, ...tests];
		const get = async (eventId: string, getting: Trigger[]) => {
			expect(await deliver(eventId)).toBe(200);
			for (const trigger of getting)
				await eventually(
					() => idsOf(trigger),
					(ids) => ids.includes(eventId),
				);
		};
		await get('both', all);
		await tests[0]?.deactivate('manual');
		await get('one', [production, ...tests.slice(1)]);
		await tests[1]?.deactivate('manual');
		expect(await config()).toEqual(before);
		await get('none', [production]);

		expect(all.map(idsOf)).toEqual([['both', 'one', 'none'], ['both'], ['both', 'one']]);
	});

	test('that n8n did not end is no hub of the next one', async () => {
		const ended = await listen();
		await die(ended, 'manual');
		const tested = await listen();

		expect(await deliver()).toBe(200);
		expect(idsOf(tested)).toEqual(['event']);
	});

	test('that is the hub does not call itself', async () => {
		const tested = await listen();
		const before = place.read;

		for (const id of ['one', 'two']) expect(await deliver(id)).toBe(200);

		expect(idsOf(tested)).toEqual(['one', 'two']);
		expect(place.read - before).toBe(2);
	});

	test('for which an event comes while n8n ends it has it delivered again, to another system that has the webhook now', async () => {
		await listen();
		const { url } = (await config()) ?? {};
		await foreign();

		expect(await deliver('event', { url })).toBe(503);
	});
});

describe('a workflow that cannot join says why, and changes nothing:', () => {
	test('or joins a hub where the path of all webhooks has another name', async () => {
		const hub = await publish();
		const url = urlOf(hub).replace('/webhook/', '/hooks/');
		await setWebhook({ ...subscriberOf(hub), url });

		await (await create()).activate('manual');

		expect((await listed())?.subscribers).toMatchObject([{ url, kind: 'workflow' }, { kind: 'test' }]);
	});

	test.each([
		['/webhook/theirs/webhook', '/webhook'],
		// An administrator has given the path of all webhooks another name.
		['/crm/v1/webhook', '/hooks'],
	])('or does not take %s of another system for a hub where n8n is at %s', async (path, ownPath) => {
		const { url } = await always(404);
		const theirs = url.replace('/hook', path);
		await setWebhook({ url: theirs, events: ['message.received'], timeoutSeconds: 7 });

		for (const mode of ['activate', 'init'] as const) {
			const { origin } = new URL(url);
			const bases = { production: `${origin}${ownPath}`, test: `${origin}${ownPath}-test` };
			const trigger = await place.trigger({ parameters: { events: ['message.received'] }, bases });
			// At a start, the repair finds out later whose it is.
			if (mode === 'init') await trigger.activate(mode).catch(() => undefined);
			else await expect(trigger.activate(mode)).rejects.toThrow(`already points to ${theirs}`);
			endings.push(await trigger.watch());
		}
		expect((await config())?.url).toBe(theirs);
		await time.advance(20, MINUTE);

		expect((await config())?.url).toBe(theirs);
	});
});
