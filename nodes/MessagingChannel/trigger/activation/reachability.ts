/**
 * Why the service would refuse or not reach an address, if that is plain from the address alone (API spec, "Webhooks",
 * rules). A service that is itself on this machine or in a private network reaches addresses there.
 *
 * @param webhookUrl where n8n wants to get the events
 * @param serviceUrl where the service is
 * @returns the end of a sentence that begins with the address, or undefined
 */
export function reachabilityProblem(webhookUrl: string, serviceUrl: string): string | undefined {
	if (!URL.canParse(webhookUrl)) return 'is not a valid URL';
	if (URL.canParse(serviceUrl) && isPrivate(new URL(serviceUrl).hostname)) return undefined;
	const { protocol, hostname } = new URL(webhookUrl);
	if (isPrivate(hostname))
		return 'is only available on your own machine or network, so the service cannot reach it';
	if (protocol !== 'https:') return "does not start with 'https', so the service does not accept it";
	return undefined;
}

function isPrivate(hostname: string): boolean {
	const host = hostname.toLowerCase().replace(/\.$/, '');
	if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
	if (/^[\d.]+$/.test(host)) return isPrivateIpv4(host);
	// A name without a dot is one of the local network.
	return !host.includes('.') || /\.(localhost|local|internal|lan|home|intranet)$/.test(host);
}

/** `URL` has written it as four decimal numbers, however it was entered. */
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
