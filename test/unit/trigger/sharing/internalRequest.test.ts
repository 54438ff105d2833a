import {
	requestHeader,
	requestKind,
	type InternalRequestKind,
} from '../../../../nodes/MessagingChannel/trigger/sharing/internalRequest';
import { sign } from '../deliveries';

const SECRET = 'a-signing-secret';
const NOW = Date.UTC(2030, 0, 31, 9);
const BODY = Buffer.from('{"url":"https://n8n.example.com"}');
const header = requestHeader('probe', BODY, SECRET, NOW);

test.each<InternalRequestKind>(['event', 'probe', 'reach', 'report'])('a request of the kind %s', (kind) => {
	expect(requestKind(requestHeader(kind, BODY, SECRET, NOW), BODY, SECRET, NOW)).toBe(kind);
});

test('a header that an earlier version made is still right', () => {
	const earlier =
		'probe.1896080400000.d4089d38-0e2a-4b86-8b0a-d8c953ed35ff.-ezqem2jBj8S-Gq3eWB1yej5t8mpB_xgteQ7M_GGXNc';
	expect(requestKind(earlier, BODY, SECRET, NOW)).toBe('probe');
});

test('no two requests have the same header', () => {
	expect(requestHeader('probe', BODY, SECRET, NOW)).not.toBe(header);
});

test.each([
	[-300_001, undefined],
	[-300_000, 'probe'],
	[300_000, 'probe'],
	[300_001, undefined],
])('after %i ms, it is of the kind %s', (ms, kind) => {
	expect(requestKind(header, BODY, SECRET, NOW + ms)).toBe(kind);
});

const [kind, time, id, mac] = header.split('.');
test.each<[string, unknown, Buffer, string]>([
	['another secret', header, BODY, 'another'],
	['no secret', requestHeader('probe', BODY, '', NOW), BODY, ''],
	['another body', header, Buffer.from('{}'), SECRET],
	['another kind', header.replace('probe', 'report'), BODY, SECRET],
	['another time', header.replace(`${time}`, `${NOW + 1}`), BODY, SECRET],
	['an unknown kind', header.replace('probe', 'delete'), BODY, SECRET],
	['a cut MAC', header.slice(0, -1), BODY, SECRET],
	['a signature of the service', `${kind}.${time}.${id}.${sign(BODY, SECRET)}`, BODY, SECRET],
	['two headers', [header, header], BODY, SECRET],
	['no header', undefined, BODY, SECRET],
	['something before it', `x${header}`, BODY, SECRET],
])('%s: no request of a trigger', (_, value, body, secret) => {
	expect(mac).toBeDefined();
	expect(requestKind(value, body, secret, NOW)).toBeUndefined();
});
