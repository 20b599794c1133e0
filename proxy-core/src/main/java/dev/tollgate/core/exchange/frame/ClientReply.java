package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.BrokenStream;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.sse.SseWriter;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writer of one request's reply to its client: one head, whole events, pings while there are none,
 * and one end. Loop-confined.
 */
public final class ClientReply {
  private final Downstream downstream;
  private final Timeline timeline;
  private final ExchangeOptions options;
  private final Keepalive keepalive;
  private boolean opened;
  private boolean contentSent;
  private long bytesSent;

  /**
   * @param onIdle called when nothing was sent to a waiting stream for a while
   */
  public ClientReply(
      Downstream downstream, Timeline timeline, ExchangeOptions options, Runnable onIdle) {
    this.downstream = downstream;
    this.timeline = timeline;
    this.options = options;
    this.keepalive = new Keepalive(downstream.loop(), onIdle);
  }

  /** Starts the idle timer of a stream that is not opened yet. */
  public void await(Duration idleMax, long sinceNanos) {
    RequestLoop.check(downstream.loop());
    keepalive.start(idleMax, sinceNanos);
  }

  /** Stops the idle timer. */
  public void stop() {
    RequestLoop.check(downstream.loop());
    keepalive.stop();
  }

  /** True once the head of a stream was sent. */
  public boolean isOpened() {
    return opened;
  }

  public long bytesSent() {
    return bytesSent;
  }

  public ByteBuf buffer(int bytes) {
    return downstream.allocator().buffer(bytes);
  }

  /** Sends the head of a stream. */
  public void open(List<FieldLines> fields) {
    RequestLoop.check(downstream.loop());
    timeline.answered(now());
    downstream.send(new Reply.Opened(fields));
    opened = true;
    keepalive.start(options.pingInterval(), now());
  }

  /** Sends the head of a byte stream, which has no room for pings. */
  public void openBytes(String contentType, List<FieldLines> fields) {
    RequestLoop.check(downstream.loop());
    timeline.answered(now());
    downstream.send(new Reply.OpenedBytes(contentType, fields));
    opened = true;
  }

  /** Sends content of a stream. */
  public void content(ByteBuf events) {
    contentSent = true;
    events(events);
  }

  public void ping() {
    ByteBuf ping = buffer(16);
    SseWriter.ping(ping);
    events(ping);
  }

  private void events(ByteBuf events) {
    RequestLoop.check(downstream.loop());
    piece(events);
    downstream.flush();
  }

  /** Sends the last events of a complete stream, or the end of a byte stream. */
  public void end(ByteBuf last) {
    RequestLoop.check(downstream.loop());
    if (last.isReadable()) {
      piece(last);
    } else {
      last.release();
    }
    downstream.send(new Reply.Ended());
    downstream.flush();
  }

  public void whole(int status, String contentType, List<FieldLines> fields, ByteBuf body) {
    RequestLoop.check(downstream.loop());
    timeline.answered(now());
    bytesSent += body.readableBytes();
    downstream.send(new Reply.Whole(status, contentType, fields, body));
    downstream.flush();
  }

  /**
   * Sends a fault: as the reply, or in an opened stream behind its last event.
   *
   * @param usage usage events ahead of the fault; null if there are none
   */
  public void refuse(@Nullable ByteBuf usage, BrokenStream error, List<FieldLines> fields) {
    RequestLoop.check(downstream.loop());
    timeline.answered(now());
    if (usage != null) {
      piece(usage);
    }
    boolean truncates = contentSent && options.brokenStreamEnd() == BrokenStreamEnd.ABORT;
    downstream.send(new Reply.Refused(error.fault(), fields, error.form(), truncates));
    downstream.flush();
  }

  private void piece(ByteBuf events) {
    bytesSent += events.readableBytes();
    keepalive.byteSent(now());
    downstream.send(new Reply.Piece(events));
  }

  private long now() {
    return downstream.loop().ticker().nanoTime();
  }
}
