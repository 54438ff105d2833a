import { CONTINUES, useEngine } from '../support/engine/engine';

const engine = useEngine();

const sent = async () => (await engine.service.control.accepted()).map(({ to }) => to.replace(/@c\.us$/, ''));
const sendTo = async (...numbers: string[]) =>
	await engine.run({ items: numbers.map((to) => ({ to, message: 'Hello' })), node: CONTINUES });
const lookUps = async () => await engine.requests('account.get');

// The account of the service is Turkish.
test('a mobile number of the account is completed, and what is a number abroad too is refused', async () => {
	const { output } = await sendTo('5551234567', '5551234568', '5321234567', '12025550123', '2125551234');

	expect(await sent()).toEqual(['905551234567', '905551234568']);
	expect(output.map(({ json }) => json.error)).toEqual([
		undefined,
		undefined,
		"'To' can be read as +905321234567 or +5321234567: '5321234567'",
		expect.stringContaining("'To' begins with 1, like numbers of North America"),
		"'To' has no country code, or the wrong number of digits: '2125551234'",
	]);
	expect(await lookUps()).toHaveLength(1);
});

test('of numbers that need no country, the account is not read', async () => {
	await sendTo('+5551234567', '905551234567', '05551234567', '905551234567@c.us', '49 151 12345678');

	expect(await lookUps()).toEqual([]);
});

test('without the account, no number is sent to that may be one of another country', async () => {
	await engine.service.control.addFault({
		operationId: 'account.get',
		kind: 'status',
		status: 500,
		times: 'always',
	});
	const { output } = await sendTo('5321234567', '4915112345678', '5551234567');

	expect(await sent()).toEqual(['4915112345678']);
	expect(output[0]?.json).toMatchObject({
		error: 'The service could not process the request',
		description: expect.stringMatching(/then run again\. .*Begin it with \+ and its country code/) as string,
		outcome: 'not_sent',
	});
	expect(await lookUps()).toHaveLength(4);
});
