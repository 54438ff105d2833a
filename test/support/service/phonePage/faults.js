/** What goes wrong on command: each with what to do, and what to expect. */
import { attempt, byId, element, request, setText } from './dom.js';

const FAULTS = {
	rateLimit: [
		'3 requests in 10 seconds',
		'Let a workflow send five messages: they take longer, and all arrive.',
	],
	timeout: [
		'Sends end with 504',
		'Let a workflow send: nothing arrives. The node looks in the chat, and says what is uncertain instead of sending twice.',
	],
	reset: [
		'Connection lost after a send',
		'Let a workflow send a text: it arrives once. The node finds it in the chat, and the item is “verified”.',
	],
	slow: ['Answers take 5 seconds', 'Let a workflow send: it waits, and sends nothing again.'],
	signature: [
		'Wrong signatures',
		'Write as a customer: n8n answers 401, and no workflow runs. Turn it off, and the next attempts may still succeed.',
	],
	disconnected: [
		'Account disconnected',
		'Let a workflow send: the item fails, and its description says to connect the account again.',
	],
};

const boxes = Object.entries(FAULTS).map(([name, [title, advice]]) => {
	const box = element('input', { type: 'checkbox', name, id: `fault-${name}` });
	box.setAttribute('aria-describedby', `advice-${name}`);
	byId('faults')
		.querySelector('fieldset')
		.append(
			element(
				'div',
				{},
				box,
				element('label', { htmlFor: box.id, textContent: title }),
				element('p', { id: `advice-${name}`, className: 'quiet', textContent: advice }),
			),
		);
	return box;
});
/** Switches that the service has not turned yet. */
let turning = 0;
/** One after the other, so that the last change decides. */
let turned = Promise.resolve();
for (const box of boxes) {
	box.addEventListener('change', () => {
		turning += 1;
		const change = { name: box.name, isOn: box.checked };
		turned = turned.then(async () => await turn(change));
	});
}

async function turn(change) {
	await attempt(async () => await request('/phone/switches', change));
	turning -= 1;
	await attempt(async () => drawFaults((await request('/phone/state')).switches));
}

/** Shows which faults are on. */
export function drawFaults(switches) {
	if (turning > 0) return;
	for (const box of boxes) box.checked = switches.includes(box.name);
	setText('faults-on', switches.length > 0 ? `${switches.length} on` : 'all off');
}
