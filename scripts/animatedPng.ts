import { crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** The length and type before the data of a chunk, and the checksum after it. */
const HEAD = 8;
const CHECKSUM = 4;

interface Chunk {
	type: string;
	data: Buffer;
}

function chunksOf(png: Buffer): Chunk[] {
	const chunks: Chunk[] = [];
	for (let at = SIGNATURE.length; at < png.length;) {
		const length = png.readUInt32BE(at);
		const data = png.subarray(at + HEAD, at + HEAD + length);
		chunks.push({ type: png.toString('latin1', at + 4, at + HEAD), data });
		at += HEAD + length + CHECKSUM;
	}
	return chunks;
}

function bytesOf({ type, data }: Chunk): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	return Buffer.concat([numbers(data.length), body, numbers(crc32(body))]);
}

function numbers(...values: number[]): Buffer {
	const bytes = Buffer.alloc(values.length * 4);
	values.forEach((value, place) => bytes.writeUInt32BE(value, place * 4));
	return bytes;
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
	const pictures = frames.map(chunksOf);
	const header = pictures[0]?.find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(0);
	for (const picture of pictures) {
		const other = picture.find(({ type }) => type === 'IHDR')?.data;
		if (!other?.equals(header)) throw new Error('The frames differ in size or colours');
	}
	let sequence = 0;
	/** Nothing is disposed of or blended: each frame covers the one before. */
	const frameControl = () =>
		Buffer.concat([
			numbers(sequence++),
			header.subarray(0, 8),
			numbers(0, 0),
			Buffer.from([0, seconds, 0, 1, 0, 0]),
		]);
	const imageData = (data: Buffer, place: number): Chunk =>
		place === 0 ? { type: 'IDAT', data } : { type: 'fdAT', data: Buffer.concat([numbers(sequence++), data]) };
	return Buffer.concat([
		SIGNATURE,
		...[
			{ type: 'IHDR', data: header },
			{ type: 'acTL', data: numbers(frames.length, plays) },
			...pictures.flatMap((picture, place) => [
				{ type: 'fcTL', data: frameControl() },
				...picture.filter(({ type }) => type === 'IDAT').map(({ data }) => imageData(data, place)),
			]),
			{ type: 'IEND', data: Buffer.alloc(0) },
		].map(bytesOf),
	]);
}
