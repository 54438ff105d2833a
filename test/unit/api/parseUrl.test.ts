import { parseUrl } from '../../../nodes/MessagingChannel/api/baseUrl';

// Node.js 20's own check would refuse it then.
test('a URL with letters such as ü is one, however often it is read', () => {
	const hosts = Array.from({ length: 20_000 }, () => parseUrl('https://münchen.example/hook')?.hostname);
	expect(new Set(hosts)).toEqual(new Set(['xn--mnchen-3ya.example']));
});

test('a relative URL is read below its base, and what is no URL is none', () => {
	expect(parseUrl('/form?a=1', 'https://n8n.example.com/webhook')?.href).toBe(
		'https://n8n.example.com/form?a=1',
	);
	expect(parseUrl('no URL')).toBeUndefined();
});
