import { parseUrl } from '../../api/baseUrl';

/**
 * Why the service would reject or not reach a webhook URL, as far as the URL itself shows it (API spec, "Webhooks",
 * rules). A service in a private network can reach private addresses.
 *
 * @returns the end of a sentence that starts with the URL; undefined if there is no problem
 */
export function reachabilityProblem(webhookUrl: string, serviceUrl: string): string | undefined {
	const url = parseUrl(webhookUrl);
	// Without a scheme, the host counts as one.
	if (!url || !['http:', 'https:'].includes(url.protocol)) return 'is not a valid URL';
	const service = parseUrl(serviceUrl);
	if (service && isPrivate(service.hostname)) return undefined;
	const { protocol, hostname } = url;
	if (isPrivate(hostname))
		return 'is only available on your own machine or network, so the service cannot reach it';
	if (protocol !== 'https:') return "does not start with 'https', so the service does not accept it";
	return undefined;
}

function isPrivate(hostname: string): boolean {
	const host = hostname.toLowerCase().replace(/\.$/, '');
	if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
	if (/^[\d.]+$/.test(host)) return isPrivateIpv4(host);
	// A host name without a dot is local.
	return !host.includes('.') || /\.(localhost|local|internal|lan|home|intranet)$/.test(host);
}

/** @param address four decimal numbers; `URL` has normalized other notations */
function isPrivateIpv4(address: string): boolean {
	const [a = 0, b = 0] = address.split('.').map(Number);
	return (
		a === 0 ||
		a === 10 ||
		a === 127 ||
		(a === 100 && b >= 64 && b < 128) ||
		(a === 169 && b === 254) ||
		(a === 172 && b >= 16 && b < 32) ||
		(a === 192 && b === 168)
	);
}

function isPrivateIpv6(address: string): boolean {
	const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address);
	if (mapped) {
		const [high = 0, low = 0] = mapped.slice(1).map((part) => parseInt(part, 16));
		return isPrivateIpv4([high >> 8, high & 255, low >> 8, low & 255].join('.'));
	}
	return address === '::' || address === '::1' || /^f[cd]/.test(address) || /^fe[89ab]/.test(address);
}
