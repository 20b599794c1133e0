package dev.tollgate.core.storage.s3;

import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.HeadWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * HTTP request to an S3 bucket, which can be encoded again for each retry.
 *
 * @param fields supplies the header fields, signed anew each time
 * @param body stays the caller's; null means no body
 */
record S3Request(String method, String path, Supplier<List<Field>> fields, @Nullable ByteBuf body) {
  private static final int HEAD_BYTES = 1024;

  /** Bytes written to a connection at a time, so that a slow one buffers no more. */
  private static final int PIECE_BYTES = 64 * 1024;

  /** Returns the bytes on the wire: a head and slices of the body. */
  List<ByteBuf> encode(ByteBufAllocator allocator) {
    ByteBuf head = allocator.buffer(HEAD_BYTES);
    HeadWriter.requestLine(head, method, path);
    fields.get().forEach(field -> HeadWriter.field(head, field));
    HeadWriter.field(head, "user-agent", "tollgate");
    if (body != null) {
      HeadWriter.contentLength(head, body.readableBytes());
    }
    HeadWriter.end(head);
    List<ByteBuf> parts = new ArrayList<>();
    parts.add(head);
    if (body != null) {
      int end = body.writerIndex();
      for (int at = body.readerIndex(); at < end; at += PIECE_BYTES) {
        parts.add(body.retainedSlice(at, Math.min(PIECE_BYTES, end - at)));
      }
    }
    return parts;
  }
}
