import type { Fault } from '../support/service/control';
import { person, useEngine } from '../support/engine/engine';
import type { RunOptions } from '../support/engine/run';

const engine = useEngine();

const asking: RunOptions = {
	operation: 'message:sendAndWait',
	items: [{}],
	parameters: { to: { __rl: true, mode: 'phone', value: person(1) }, message: 'Ship it?' },
};

const lost: Fault = { kind: 'status', status: 504, operationId: 'message.send' };

test('a question is sent with its links, and the execution waits for the answer', async () => {
	const { output, execution } = await engine.run(asking);

	expect(output).toEqual([{ json: expect.objectContaining({ queued: true }), pairedItem: { item: 0 } }]);
	expect(await engine.accepted()).toEqual([
		expect.stringMatching(/^Ship it\?\n\nApprove: http:\/\/n8n\.example\.com\S+approved=true\S+\n\n/),
	]);
	expect(execution.waitTill).toBeInstanceOf(Date);
});

test('an ordinary send does not wait', async () => {
	const { execution } = await engine.run({ items: [{ to: person(1), message: 'Hello' }] });

	expect(execution.waitTill).toBeUndefined();
});

test('the execution does not wait when the question may not have arrived', async () => {
	await engine.service.control.addFault(lost);

	const { error, execution } = await engine.run(asking);

	expect(error?.message).toContain('may have been sent');
	expect(execution.waitTill).toBeUndefined();
});

test('several items are refused before anybody is asked', async () => {
	const { error } = await engine.run({ ...asking, items: [{}, {}] });

	expect(error?.message).toBe(
		"'Input' has 2 items, but the workflow can wait for only one response at a time",
	);
	expect(await engine.requests()).toEqual([]);
});

test('another try of the same execution does not ask again, a later execution does', async () => {
	await engine.service.control.addFault(lost);
	const { execution } = await engine.run(asking);

	const again = await engine.run({ ...asking, execution });
	expect(again.error?.message).toContain('may have been sent');
	expect(await engine.requests('message.send')).toHaveLength(1);

	const later = await engine.run({ ...asking, execution, executionId: '2' });
	expect(later.error).toBeUndefined();
	expect(await engine.requests('message.send')).toHaveLength(2);
	expect(await engine.accepted()).toEqual([expect.stringContaining('/2')]);
});
