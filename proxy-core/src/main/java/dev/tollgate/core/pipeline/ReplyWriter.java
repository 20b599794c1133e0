package dev.tollgate.core.pipeline;

import static io.netty.buffer.Unpooled.EMPTY_BUFFER;
import static io.netty.buffer.Unpooled.directBuffer;
import static io.netty.buffer.Unpooled.unreleasableBuffer;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.exchange.frame.ErrorEnvelope;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Encoder of {@link Reply} parts as HTTP/1.1 bytes: whole replies, errors, streams and files. A
 * small reply is sent in one buffer, because a copy of some hundred bytes costs less than a second
 * buffer in the queue; of a large one only the head is written here.
 */
final class ReplyWriter {
  private static final String JSON = "application/json";
  private static final int COPIED_BYTES_MAX = 4096;
  private static final int ENVELOPE_BYTES = 512;
  private static final int CHUNK_FRAME_BYTES = 16;
  private static final Field SHOULD_RETRY = new Field("x-should-retry", "true");

  /** Retry fields by number of seconds, shared because refusals under load are frequent. */
  private static final List<List<FieldLines>> RETRY_LATER =
      IntStream.rangeClosed(0, 60)
          .mapToObj(
              seconds ->
                  List.<FieldLines>of(
                      SHOULD_RETRY, new Field("Retry-After", Integer.toString(seconds))))
          .toList();

  private static final byte[] DATA = "data: ".getBytes(US_ASCII);
  private static final byte[] DONE = "\n\ndata: [DONE]\n\n".getBytes(US_ASCII);
  private static final ByteBuf LINE_END = fixed("\r\n");
  private static final ByteBuf LAST_CHUNK = fixed("0\r\n\r\n");
  private static final ByteBuf CONTINUE = fixed("HTTP/1.1 100 Continue\r\n\r\n");

  private final ReplyHead head;

  ReplyWriter(ReplyHead head) {
    this.head = head;
  }

  void interim(ChannelHandlerContext ctx, Interim interim) {
    switch (interim) {
      case CONTINUE -> {
        var _ = ctx.write(CONTINUE.duplicate(), ctx.voidPromise());
      }
    }
  }

  /**
   * Writes a complete reply and takes ownership of its body. Returns the number of body bytes sent.
   */
  int whole(
      ChannelHandlerContext ctx,
      Received request,
      Reply.Whole whole,
      boolean closes,
      ChannelPromise promise) {
    ByteBuf body = whole.body();
    int bodyBytes = body.readableBytes();
    boolean isHead = request.head().method().equals("HEAD");
    boolean copies = bodyBytes <= COPIED_BYTES_MAX && !isHead;
    ByteBuf out = ctx.alloc().ioBuffer(ReplyHead.BYTES + (copies ? bodyBytes : 0));
    String contentType = hasContent(whole.status()) ? whole.contentType() : null;
    head.fixed(out, request, whole.status(), contentType, bodyBytes, whole.fields(), closes);
    if (copies) {
      out.writeBytes(body);
    }
    if (copies || isHead) {
      body.release();
      var _ = ctx.write(out, promise);
    } else {
      var _ = ctx.write(out, ctx.voidPromise());
      var _ = ctx.write(body, promise);
    }
    return isHead ? 0 : bodyBytes;
  }

  private static boolean hasContent(int status) {
    return status != 204 && status != 304;
  }

  /** Writes the error envelope as a reply of its own. Returns the number of body bytes sent. */
  int refused(
      ChannelHandlerContext ctx,
      Received request,
      Reply.Refused refused,
      boolean closes,
      ChannelPromise promise) {
    Fault fault = refused.fault();
    ByteBuf body = ctx.alloc().ioBuffer(ENVELOPE_BYTES);
    ErrorEnvelope.write(body, fault, request.id());
    List<FieldLines> fields = withRetry(fault, refused.fields());
    int status = fault.code().status();
    return whole(ctx, request, new Reply.Whole(status, JSON, fields, body), closes, promise);
  }

  private static List<FieldLines> withRetry(Fault fault, List<FieldLines> fields) {
    Boolean shouldRetry = fault.shouldRetry();
    int seconds = fault.retryAfterSeconds();
    if (shouldRetry == null && seconds == 0) {
      return fields;
    }
    if (fields.isEmpty()
        && seconds > 0
        && seconds < RETRY_LATER.size()
        && Boolean.TRUE.equals(shouldRetry)) {
      return RETRY_LATER.get(seconds);
    }
    List<FieldLines> all = new ArrayList<>(fields.size() + 2);
    all.addAll(fields);
    if (shouldRetry != null) {
      all.add(new Field("x-should-retry", shouldRetry.toString()));
    }
    if (fault.retryAfterSeconds() > 0) {
      all.add(new Field("Retry-After", Integer.toString(fault.retryAfterSeconds())));
    }
    return all;
  }

  void opened(ChannelHandlerContext ctx, Received request, Reply.Opened opened, boolean closes) {
    ByteBuf out = ctx.alloc().ioBuffer(ReplyHead.BYTES);
    head.stream(out, request, opened.fields(), closes);
    var _ = ctx.write(out, ctx.voidPromise());
  }

  void openedBytes(
      ChannelHandlerContext ctx, Received request, Reply.OpenedBytes opened, boolean closes) {
    ByteBuf out = ctx.alloc().ioBuffer(ReplyHead.BYTES);
    head.bytes(out, request, opened.contentType(), opened.fields(), closes);
    var _ = ctx.write(out, ctx.voidPromise());
  }

  void openedFile(
      ChannelHandlerContext ctx, Received request, Reply.OpenedFile opened, boolean closes) {
    ByteBuf out = ctx.alloc().ioBuffer(ReplyHead.BYTES);
    long bytes = opened.contentBytes();
    head.fixed(out, request, opened.status(), opened.contentType(), bytes, opened.fields(), closes);
    var _ = ctx.write(out, ctx.voidPromise());
  }

  /** Writes events, in a chunk of their own unless the stream goes to an HTTP/1.0 client. */
  void piece(ChannelHandlerContext ctx, Received request, ByteBuf events) {
    int bytes = events.readableBytes();
    if (bytes == 0) {
      events.release(); // an empty chunk would end the body
    } else if (request.head().minorVersion() == 0) {
      var _ = ctx.write(events, ctx.voidPromise());
    } else if (bytes <= COPIED_BYTES_MAX) {
      ByteBuf chunk = ctx.alloc().ioBuffer(bytes + CHUNK_FRAME_BYTES);
      HeadWriter.chunkStart(chunk, bytes);
      HeadWriter.chunkEnd(chunk.writeBytes(events));
      events.release();
      var _ = ctx.write(chunk, ctx.voidPromise());
    } else {
      ByteBuf size = ctx.alloc().ioBuffer(CHUNK_FRAME_BYTES);
      HeadWriter.chunkStart(size, bytes);
      var _ = ctx.write(size, ctx.voidPromise());
      var _ = ctx.write(events, ctx.voidPromise());
      var _ = ctx.write(LINE_END.duplicate(), ctx.voidPromise());
    }
  }

  /** Writes the error as an event and the terminator. Returns the number of body bytes sent. */
  int failure(ChannelHandlerContext ctx, Received request, Reply.Refused refused) {
    ByteBuf event = ctx.alloc().ioBuffer(ENVELOPE_BYTES);
    event.writeBytes(DATA);
    ErrorEnvelope.write(event, refused.fault(), request.id(), refused.form());
    event.writeBytes(DONE);
    int bytes = event.readableBytes();
    piece(ctx, request, event);
    return bytes;
  }

  /**
   * Ends a stream.
   *
   * @param truncates true if the last chunk is left out; an HTTP/1.0 client, which has no chunks,
   *     gets no reset in its place, since that may cost it the error event
   */
  void ended(
      ChannelHandlerContext ctx, Received request, boolean truncates, ChannelPromise promise) {
    boolean hasLastChunk = request.head().minorVersion() > 0 && !truncates;
    var _ = ctx.write(hasLastChunk ? LAST_CHUNK.duplicate() : EMPTY_BUFFER, promise);
  }

  private static ByteBuf fixed(String text) {
    return unreleasableBuffer(directBuffer().writeBytes(text.getBytes(US_ASCII)).asReadOnly());
  }
}
