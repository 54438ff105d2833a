import { byRecipient, person, toEach, useEngine } from './engine';

const engine = useEngine();

const slowly = async (operationId: string, ms = 20) =>
	await engine.service.control.addFault({ kind: 'delay', ms, operationId, times: 'always' });

const mostInFlight = async (operationId: string) =>
	Math.max(...(await engine.requests(operationId)).map(({ inFlight }) => inFlight));

test('messages to one recipient go out one at a time in the order of the items, those to others beside them', async () => {
	await slowly('message.send', 5);
	const items = Array.from({ length: 40 }, (_, number) => ({
		to: person(number % 4),
		message: `Message ${number}`,
	}));

	const { output } = await engine.run({ items });

	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	const texts = byRecipient(await engine.service.control.accepted());
	for (let recipient = 0; recipient < 4; recipient++) {
		const own = items.filter(({ to }) => to === person(recipient)).map(({ message }) => message);
		expect(texts[`${person(recipient)}@c.us`]).toEqual(own);
	}
	expect(await mostInFlight('message.send')).toBe(4);
});

test('a phone number in any form and the id of its chat are one recipient', async () => {
	await slowly('message.send', 10);
	const forms = ['+90 555 110 00 07', '905551100007', '905551100007@c.us', '0090 (555) 1100007'];
	const items = forms.map((to, number) => ({ to, message: `Message ${number}` }));

	await engine.run({ items });

	expect(await engine.accepted()).toEqual(items.map(({ message }) => message));
	expect(await mostInFlight('message.send')).toBe(1);
});

test('groups are not taken for one another', async () => {
	await slowly('message.send');
	const items = [1, 2, 3].map((number) => ({ to: `12036300000000000${number}@g.us`, message: 'Hello' }));

	await engine.run({ items });

	expect(await mostInFlight('message.send')).toBe(3);
});

test.each([1, 5, 25])('at most %d requests are in flight when Max Concurrency says so', async (most) => {
	await slowly('contact.check');
	const items = toEach(60);
	const phone = { __rl: true, mode: 'phone', value: '={{ $json.to }}' };

	const { output } = await engine.run({
		operation: 'contact:check',
		items,
		parameters: { phone },
		options: { maxConcurrency: most },
	});

	expect(output.map(({ json }) => json.phone)).toEqual(items.map(({ to }) => to));
	expect(await mostInFlight('contact.check')).toBe(most);
});

test('25 requests are in flight when Max Concurrency is not set', async () => {
	await slowly('message.send');

	await engine.run({ items: toEach(60) });

	expect(await mostInFlight('message.send')).toBe(25);
});

test('reads of the same record run side by side', async () => {
	await slowly('account.get');

	await engine.run({ operation: 'account:get', items: toEach(10) });

	expect(await mostInFlight('account.get')).toBe(10);
});

test('changes of the same record keep their order', async () => {
	await engine.service.control.seed({ contacts: [{ phone: person(1) }] });
	await slowly('contact.update', 5);
	const items = Array.from({ length: 10 }, (_, number) => ({ name: `Name ${number}` }));

	await engine.run({
		operation: 'contact:update',
		items,
		parameters: {
			phone: { __rl: true, mode: 'phone', value: person(1) },
			updateFields: { name: '={{ $json.name }}' },
		},
	});

	const requests = await engine.requests('contact.update');
	expect(requests.map(({ body }) => body)).toEqual(items);
	expect(await mostInFlight('contact.update')).toBe(1);
});

test('when an item fails, those under way are finished and remembered, so that another try sends none of them again', async () => {
	await engine.service.control.addFault({
		kind: 'delay',
		ms: 30,
		operationId: 'message.send',
		times: 'always',
		when: 'after',
	});
	const many = [{ to: person(0), message: 'a forbiddenword' }, ...toEach(30).slice(1)];

	const first = await engine.run({ items: many, options: { maxConcurrency: 5 } });

	expect(first.error?.context.itemIndex).toBe(0);
	expect(await engine.accepted()).toHaveLength(4);

	const fixed = [{ to: person(0), message: 'fine' }, ...many.slice(1)];
	const second = await engine.run({ items: fixed, execution: first.execution });

	expect(second.error).toBeUndefined();
	expect(second.output.map(({ json }) => json.already_sent === true)).toEqual(
		many.map((_, item) => item >= 1 && item <= 4),
	);
	expect(await engine.accepted()).toHaveLength(30);
});
