import {
	areOfOneN8n,
	hasPathOfN8n,
	isOfOwnTrigger,
	mayBeTrigger,
} from '../../../nodes/MessagingChannel/webhook/triggerUrl';

test.each([
	['https://n8n.example.com/webhook/one/webhook', true],
	['http://n8n.example.com/webhook/one/webhook', true],
	['https://n8n.example.com/webhook-test/one/webhook', true],
	['https://n8n.example.com/path/webhook/x', true],
	['https://n8n.example.com/hooks/one/webhook', false],
	['https://n8n.example.com/webhook/', false],
	['https:///webhook/one', false],
	['see https://n8n.example.com/webhook/one', false],
	['https://n8n.example.com/webhook/one?a=b', false],
	['https://example.com/?to=/webhook/one', false],
])('%s has the path of the webhooks of n8n: %s', (url, expected) => {
	expect(hasPathOfN8n(url)).toBe(expected);
});

test.each([
	['https://a.example.com/webhook/one', 'https://a.example.com/webhook/two', true],
	['https://a.example.com/hooks/one', 'https://a.example.com/other/two', true],
	['https://a.example.com/x/webhook/one', 'https://a.example.com/x/webhook-test/two', true],
	['https://a.example.com/x/webhook/one', 'https://a.example.com/y/webhook/two', false],
	['https://a.example.com/b%c3%bcro/webhook/one', 'https://a.example.com/büro/webhook/two', true],
	['https://a.example.com/webhook/one', 'https://b.example.com/webhook/two', false],
	['https://a.example.com/webhook/one', 'http://a.example.com/webhook/two', false],
	['not a URL', 'not a URL', false],
	['https://a.example.com/webhook/one', 'not a URL', false],
])('%s and %s belong to one n8n: %s', (one, other, expected) => {
	expect(areOfOneN8n(one, other)).toBe(expected);
});

test.each([
	['https://n8n.example.com/webhook/one/webhook', true],
	['http://n8n.example.com/hooks/one/webhook', true],
	['https://n8n.example.com/webhook/one/webhooks', false],
	['https://example.com/one/webhook/two', false],
	['https://example.com/?to=https://n8n.example.com/webhook/one/webhook', false],
	['https://example.com/#https://n8n.example.com/webhook/one/webhook', false],
])('%s may be the URL of a trigger: %s', (url, expected) => {
	expect(mayBeTrigger(url)).toBe(expected);
});

test.each([
	['https://a.example.com/webhook/two', 'https://a.example.com/webhook/one', true],
	['https://a.example.com/hooks/two', 'https://a.example.com/hooks/one', true],
	['https://a.example.com/webhook/two', 'https://a.example.com/hooks/one', true],
	['https://a.example.com/hooks/two', 'https://a.example.com/webhook/one', false],
	['https://b.example.com/webhook/two', 'https://a.example.com/webhook/one', false],
])('%s is of a trigger of the n8n that has %s: %s', (url, ownUrl, expected) => {
	expect(isOfOwnTrigger(url, ownUrl)).toBe(expected);
});
