import { crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

function numbers(...values: number[]): Buffer {
	const bytes = Buffer.alloc(values.length * 4);
	values.forEach((value, place) => bytes.writeUInt32BE(value, place * 4));
	return bytes;
}

/** A chunk: its length, its type, its data and a checksum. */
function chunk(type: string, ...data: Buffer[]): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), ...data]);
	return Buffer.concat([numbers(body.length - 4), body, numbers(crc32(body))]);
}

/** The data of the chunks of a type. */
function dataOf(png: Buffer, type: string): Buffer[] {
	const found: Buffer[] = [];
	for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12) {
		if (png.toString('latin1', at + 4, at + 8) === type)
			found.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
	}
	return found;
}

/**
 * Makes one animated picture of several of the same size ("PNG Specification, Third Edition": "Animation information").
 *
 * @param seconds how long each is shown
 * @param plays how often it is played; the last picture then stays, so that it disturbs nobody who reads
 */
export function animatedPng(
	frames: Buffer[],
	{ seconds, plays }: { seconds: number; plays: number },
): Buffer {
	const headers = frames.flatMap((frame) => dataOf(frame, 'IHDR'));
	const [header = Buffer.alloc(0)] = headers;
	if (!headers.every((other) => other.equals(header)))
		throw new Error('The frames differ in size or colours');
	let sequence = 0;
	const pictures = frames.flatMap((frame, place) => [
		// Nothing is disposed of or blended: each frame covers the one before.
		chunk(
			'fcTL',
			numbers(sequence++),
			header.subarray(0, 8),
			numbers(0, 0),
			Buffer.from([0, seconds, 0, 1, 0, 0]),
		),
		...dataOf(frame, 'IDAT').map((data) =>
			place === 0 ? chunk('IDAT', data) : chunk('fdAT', numbers(sequence++), data),
		),
	]);
	const animation = chunk('acTL', numbers(frames.length, plays));
	return Buffer.concat([SIGNATURE, chunk('IHDR', header), animation, ...pictures, chunk('IEND')]);
}
