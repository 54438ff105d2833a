// cspell:ignore mnchen
import { normalizeBaseUrl, parseUrl } from '../../../nodes/MessagingChannel/api/baseUrl';

const API = '/api/v1/whatsapp/external';

test.each([
	['https://service.example.com', `https://service.example.com${API}`],
	['https://service.example.com/', `https://service.example.com${API}`],
	[`https://service.example.com${API}`, `https://service.example.com${API}`],
	[`https://service.example.com${API}///`, `https://service.example.com${API}`],
	[` https://service.example.com${API}\n`, `https://service.example.com${API}`],
	[`\u00a0https://service.example.com\u00a0`, `https://service.example.com${API}`],
	[`\u200bhttps://service.example.com${API}\u200b`, `https://service.example.com${API}`],
	['http://127.0.0.1:8080', `http://127.0.0.1:8080${API}`],
	['https://service.example.com:8443', `https://service.example.com:8443${API}`],
	[`https://example.com/tenant${API}`, `https://example.com/tenant${API}`],
	[`https://service.example.com${API}?key=1#top`, `https://service.example.com${API}`],
	['service.example.com', `https://service.example.com${API}`],
	[`service.example.com:8443${API}/`, `https://service.example.com:8443${API}`],
	['https://http://127.0.0.1:8080', `http://127.0.0.1:8080${API}`],
	['https://https://service.example.com', `https://service.example.com${API}`],
	[`http://HTTPS://service.example.com:8443${API}`, `https://service.example.com:8443${API}`],
	['HTTPS://Service.Example.COM', `https://service.example.com${API}`],
])('%j becomes %s, which stays as it is', (entered, expected) => {
	expect(normalizeBaseUrl(entered)).toBe(expected);
	expect(normalizeBaseUrl(expected)).toBe(expected);
});

test.each([
	[''],
	['   '],
	['service'],
	['service.example.com and more'],
	['service.example.com:port'],
	['ftp://service.example.com'],
	['https://'],
	['javascript:0'],
	[undefined],
	[7],
])('%j is no web address', (entered) => {
	expect(() => normalizeBaseUrl(entered)).toThrow(
		/is not a valid URL. Enter it as shown in the account panel/,
	);
});

test.each(['/api', '/api/v2/whatsapp/external', `${API}/health`])(
	'%s leads elsewhere, and the right beginning is named',
	(path) => {
		expect(() => normalizeBaseUrl(`https://service.example.com${path}`)).toThrow(
			/Enter only the first part, e.g. https:\/\/service.example.com$/,
		);
	},
);

test.each(['user:secret@', 'user@', ':secret@'])(
	'an address with %s in it is refused without telling it',
	(login) => {
		const attempt = () => normalizeBaseUrl(`https://${login}service.example.com`);
		expect(attempt).toThrow(/contains a user name or password/);
		expect(attempt).not.toThrow(/user:|secret/);
	},
);

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
