package dev.tollgate.core.http;

/**
 * Limits of a chunked body's framing: chunk-size lines, extensions and trailers.
 *
 * @param lineBytesMax size of one chunk-size line with its extensions
 * @param extensionBytesMax size of the extensions of all chunks of one body together
 */
record ChunkLimits(int lineBytesMax, long extensionBytesMax, HeadLimits trailer) {
  private static final HeadLimits TRAILER = new HeadLimits(0, 8 * 1024, 64, 0);

  static final ChunkLimits REQUEST = new ChunkLimits(1024, 16 * 1024, TRAILER);

  /**
   * A provider may add an extension to every chunk of a long stream, so only the single line is
   * limited.
   */
  static final ChunkLimits RESPONSE = new ChunkLimits(4096, Long.MAX_VALUE, TRAILER);
}
