import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** A certificate and its key, in the form that Node's TLS takes. */
export interface Certificate {
	/** PEM. */
	cert: string;
	/** PEM. */
	key: string;
}

/** What a certificate says. */
export interface CertificateFacts {
	/** The host names and IPv4 addresses that it is made for. */
	hosts?: string[];
	/** Unix times in milliseconds; from yesterday to tomorrow unless given. */
	from?: number;
	until?: number;
}

/** An authority whose certificates nobody trusts, unless it is told to. */
export interface Authority {
	/** PEM, for those who shall trust it. */
	cert: string;
	issue(facts: CertificateFacts): Certificate;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes an authority. */
export function createAuthority(name = 'An Authority'): Authority {
	const keys = newKeys();
	const certify = (subject: string, publicKey: KeyObject, isAuthority: boolean, facts: CertificateFacts) =>
		certificate({ issuer: name, subject, publicKey, signedWith: keys.privateKey, isAuthority, ...facts });
	return {
		cert: certify(name, keys.publicKey, true, {}),
		issue: (facts) => {
			const { publicKey, privateKey } = newKeys();
			return { cert: certify('A Service', publicKey, false, facts), key: pem(privateKey) };
		},
	};
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

interface Signing extends CertificateFacts {
	issuer: string;
	subject: string;
	publicKey: KeyObject;
	signedWith: KeyObject;
	isAuthority?: boolean;
}

/** An X.509 certificate (RFC 5280, section 4.1): Node can read them, but not make them. */
function certificate({ issuer, subject, publicKey, signedWith, isAuthority = false, ...facts }: Signing) {
	const { hosts = [], from = Date.now() - DAY_MS, until = Date.now() + DAY_MS } = facts;
	const extensions = [
		...(isAuthority ? [extension(BASIC_CONSTRAINTS, sequence(der(0x01, Buffer.of(0xff))))] : []),
		...(hosts.length > 0 ? [extension(SUBJECT_ALT_NAME, sequence(...hosts.map(hostName)))] : []),
	];
	const signed = sequence(
		der(0xa0, integer(Buffer.of(2))),
		integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
		sequence(ECDSA_WITH_SHA256),
		commonName(issuer),
		sequence(time(from), time(until)),
		commonName(subject),
		publicKey.export({ type: 'spki', format: 'der' }),
		...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
	);
	const signature = Buffer.concat([Buffer.of(0), sign('sha256', signed, signedWith)]);
	const whole = sequence(signed, sequence(ECDSA_WITH_SHA256), der(0x03, signature));
	return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`;
}

/** One value of the encoding that certificates are written in (X.690). */
function der(tag: number, content: Buffer): Buffer {
	const { length } = content;
	const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...values: Buffer[]) => der(0x30, Buffer.concat(values));
const integer = (value: Buffer) => der(0x02, value);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));

const ECDSA_WITH_SHA256 = objectId('2a8648ce3d040302');
const COMMON_NAME = objectId('550403');
const BASIC_CONSTRAINTS = objectId('551d13');
const SUBJECT_ALT_NAME = objectId('551d11');

const commonName = (name: string) => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));

const extension = (id: Buffer, value: Buffer) => sequence(id, der(0x04, value));

const hostName = (host: string) =>
	/^[\d.]+$/.test(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));

/** Generalized time, in whole seconds. */
const time = (ms: number) =>
	der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\..*/g, '')}Z`));
