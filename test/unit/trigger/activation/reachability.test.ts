import { reachabilityProblem } from '../../../../nodes/MessagingChannel/trigger/activation/reachability';

const service = 'https://service.example.com/api/v1/whatsapp/external';

test('an https URL on the internet is accepted', () => {
	expect(reachabilityProblem('https://n8n.example.com/webhook/1/webhook', service)).toBeUndefined();
	expect(reachabilityProblem('https://8.8.8.8:5678/webhook', service)).toBeUndefined();
	expect(reachabilityProblem('https://[2001:4860:4860::8888]/webhook', service)).toBeUndefined();
});

test('http is rejected, as the service does not accept it', () => {
	expect(reachabilityProblem('http://n8n.example.com/webhook', service)).toBe(
		"does not start with 'https', so the service does not accept it",
	);
});

test.each([
	'localhost:5678',
	'n8n.localhost',
	'127.0.0.1',
	'127.1',
	'0x7f000001',
	'2130706433',
	'0.0.0.0',
	'10.1.2.3',
	'172.16.0.1',
	'172.31.255.255',
	'192.168.1.5',
	'169.254.169.254',
	'100.64.0.1',
	'100.127.255.255',
	'172.20.0.1',
	'[fc00::1]',
	'[febf::1]',
	'[::ffff:192.168.0.1]',
	'[::ffff:172.16.0.0]',
	'N8N.LOCAL',
	'n8n.lan',
	'n8n.home',
	'n8n.intranet',
	'[::1]',
	'[::]',
	'[::ffff:10.0.0.1]',
	'[fd00::1]',
	'[fe80::1]',
	'n8n',
	'n8n1',
	'1n8n',
	'[::ffff:10.0.1.16]',
	'n8n.local',
	'n8n.internal.',
])('%s cannot be reached', (host) => {
	expect(reachabilityProblem(`https://${host}/webhook`, service)).toContain('cannot reach it');
});

test.each([
	'172.15.0.1',
	'172.32.0.1',
	'11.0.0.1',
	'192.167.1.1',
	'193.168.1.1',
	'100.63.0.1',
	'100.128.0.1',
	'101.64.0.1',
	'128.0.0.1',
	'169.253.0.1',
	'170.254.0.1',
	'173.16.0.1',
	'[::2]',
	'[fb00::1]',
	'[fec0::1]',
	'[2001:fd00::1]',
	'[2001:fe80::1]',
	'[::ffff:8.8.8.8]',
	'[1::ffff:a00:1]',
	'[::ffff:a00:1:2]',
	'n8n.local.example.com',
	'1n8n.example.com',
	'mylocal.example',
])('%s is public', (host) => {
	expect(reachabilityProblem(`https://${host}/webhook`, service)).toBeUndefined();
});

test('a service on this machine or in a private network reaches private addresses', () => {
	for (const base of [
		'http://127.0.0.1:4010',
		'http://localhost:4010',
		'https://10.0.0.7',
		'http://service',
	]) {
		expect(reachabilityProblem('http://localhost:5678/webhook', base)).toBeUndefined();
	}
});

test('an invalid URL', () => {
	expect(reachabilityProblem('', service)).toBe('is not a valid URL');
	expect(reachabilityProblem('n8n', 'http://localhost')).toBe('is not a valid URL');
	expect(reachabilityProblem('http://localhost', 'no address')).toContain('cannot reach it');
});
