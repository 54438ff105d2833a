import { reachabilityProblem } from '../../../../nodes/MessagingChannel/trigger/activation/reachability';

const service = 'https://service.example.com/api/v1/whatsapp/external';

const PRIVATE = {
	'this machine': 'localhost:5678 n8n.localhost 127.0.0.1 127.1 0x7f000001 2130706433 0.0.0.0 [::1] [::]',
	'private networks': '10.1.2.3 172.16.0.1 172.20.0.1 172.31.255.255 192.168.1.5 [fc00::1] [fd00::1]',
	'other networks that end somewhere': '169.254.169.254 100.64.0.1 100.127.255.255 [fe80::1] [FEBF::1]',
	'the same as IPv6': '[::ffff:10.0.0.1] [::ffff:10.0.1.16] [::ffff:172.16.0.0] [::ffff:192.168.0.1]',
	'names of a local network': 'N8N.LOCAL n8n.local n8n.lan n8n.home n8n.intranet n8n.internal.',
	'names without a dot': 'n8n n8n1 1n8n',
};

test.each(Object.entries(PRIVATE))('%s cannot be reached: %s', (_, hosts) => {
	for (const host of hosts.split(' '))
		expect([host, reachabilityProblem(`https://${host}/webhook`, service)]).toEqual([
			host,
			expect.stringContaining('cannot reach it'),
		]);
});

const PUBLIC = {
	addresses: '8.8.8.8:5678 [2001:4860:4860::8888] [::ffff:8.8.8.8]',
	'addresses beside private ones':
		'172.15.0.1 172.32.0.1 173.16.0.1 11.0.0.1 192.167.1.1 193.168.1.1 100.63.0.1 100.128.0.1 101.64.0.1 128.0.0.1 169.253.0.1 170.254.0.1 [::2] [fb00::1] [fec0::1] [2001:fd00::1] [2001:fe80::1] [1::ffff:a00:1] [::ffff:a00:1:2]',
	names: 'n8n.example.com n8n.local.example.com 1n8n.example.com non-local.example',
};

test.each(Object.entries(PUBLIC))('%s are public: %s', (_, hosts) => {
	for (const host of hosts.split(' '))
		expect([host, reachabilityProblem(`https://${host}/webhook`, service)]).toEqual([host, undefined]);
});

test('http is rejected, as the service does not accept it', () => {
	expect(reachabilityProblem('http://n8n.example.com/webhook', service)).toBe(
		"does not start with 'https', so the service does not accept it",
	);
});

test.each(['http://127.0.0.1:4010', 'http://localhost:4010', 'https://10.0.0.7', 'http://service'])(
	'a service at %s reaches private addresses',
	(base) => {
		expect(reachabilityProblem('http://localhost:5678/webhook', base)).toBeUndefined();
	},
);

test('an invalid URL', () => {
	expect(reachabilityProblem('', service)).toBe('is not a valid URL');
	expect(reachabilityProblem('n8n', 'http://localhost')).toBe('is not a valid URL');
	for (const base of [service, 'http://localhost'])
		expect(reachabilityProblem('n8n.example.com:5678/webhook', base)).toBe('is not a valid URL');
	expect(reachabilityProblem('http://localhost', 'no address')).toContain('cannot reach it');
});
