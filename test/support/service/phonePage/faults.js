/** What goes wrong on command: each with what to do, and what to expect. */
import { attempt, byId, element, request, setText } from './dom.js';

const FAULTS = {
	rateLimit: [
		'3 requests in 10 seconds',
		'Write five messages as a customer: the answers take longer, and all arrive.',
	],
	timeout: [
		'Sends end with 504',
		'Write as a customer: no answer arrives. The execution in n8n says what is uncertain, and nothing is sent twice.',
	],
	reset: [
		'Connection lost after a send',
		'Write as a customer: the answer arrives once. A template ends as uncertain; a text is found in the chat, and its item is “verified”.',
	],
	slow: ['Answers take 5 seconds', 'Write as a customer: the answer comes 5 seconds later, and once.'],
	signature: [
		'Wrong signatures',
		'Write as a customer: n8n answers 401, and no workflow runs. Turn it off: in four to seven minutes the trigger fetches the message itself.',
	],
	disconnected: [
		'Account disconnected',
		'Write as a customer: no answer arrives. The execution in n8n says to connect the account again.',
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
