import type { BinaryHelperFunctions } from 'n8n-workflow';

/** A stream of bytes, as n8n's helpers return it. */
export type ByteStream = Awaited<ReturnType<BinaryHelperFunctions['getBinaryStream']>>;

/**
 * Creates a stream from chunks, which are produced only as fast as they are read.
 *
 * @param like any stream; its class is used, because community nodes may not import 'stream'
 */
export function streamOf(chunks: AsyncIterable<Buffer>, like: ByteStream): ByteStream {
	const { from } = like.constructor as unknown as {
		from: (source: AsyncIterable<Buffer>, options: { objectMode: boolean }) => ByteStream;
	};
	return from(chunks, { objectMode: false });
}
