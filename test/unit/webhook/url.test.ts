import { areSameUrl } from '../../../nodes/MessagingChannel/webhook/url';

const URL_OF_N8N = 'https://n8n.example.com/webhook/A/webhook?subscribers=B';

test.each<[string, string, boolean]>([
	['a host in capitals', 'https://N8N.Example.COM/webhook/A/webhook?subscribers=B', true],
	['the default port', 'https://n8n.example.com:443/webhook/A/webhook?subscribers=B', true],
	['another port', 'https://n8n.example.com:444/webhook/A/webhook?subscribers=B', false],
	['another path', 'https://n8n.example.com/webhook/a/webhook?subscribers=B', false],
	['another query', 'https://n8n.example.com/webhook/A/webhook?subscribers=b', false],
	['no URL', 'webhook/A/webhook', false],
])('a URL with %s is the same one: %s', (_, other, isSame) => {
	expect(areSameUrl(URL_OF_N8N, other)).toBe(isSame);
});

test.each([
	['https://münchen.example/hook', 'https://xn--mnchen-3ya.example/hook', true],
	['https://example.com', 'https://example.com/', true],
	['https://example.com/b%c3%bcro/%7euser', 'https://example.com/büro/~user', true],
	['https://example.com/a%2fb', 'https://example.com/a%2Fb', true],
	['https://example.com/a%2Fb', 'https://example.com/a/b', false],
	['https://example.com/100%', 'https://example.com/100%25', false],
	['no URL', 'no URL', true],
])('%s and %s are one URL: %s', (one, other, isSame) => {
	expect(areSameUrl(one, other)).toBe(isSame);
});
