import { readSignedHeader, signedHeader } from '../../../nodes/MessagingChannel/api/signedHeader';

const NOW = Date.UTC(2030, 0, 31, 9);

test.each(['open', undefined])('a header tells the kind of request that it signs: %s', (kind) => {
	const request = { key: Buffer.from('key'), body: Buffer.from('body') };
	expect(readSignedHeader(signedHeader(request, NOW, kind), request, NOW)).toEqual({ kind });
});
