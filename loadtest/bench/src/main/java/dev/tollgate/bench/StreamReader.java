package dev.tollgate.bench;

import dev.tollgate.bench.Script.StreamCheck;
import dev.tollgate.core.sse.SseDecoder;
import dev.tollgate.core.sse.SseSink;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Reads one event stream of a benchmark reply and records its first token, its frames and its end.
 */
final class StreamReader implements SseSink {
  private static final int EVENT_BYTES_MAX = 32 * 1024 * 1024;

  private final SseDecoder events = new SseDecoder(this, EVENT_BYTES_MAX);
  private final Tally tally;
  private final StreamCheck check;
  private final long intendedNanos;
  private long nowNanos;
  private boolean hasContent;
  private boolean isDone;
  private @Nullable Failure failure;

  StreamReader(Tally tally, StreamCheck check, long intendedNanos) {
    this.tally = tally;
    this.check = check;
    this.intendedNanos = intendedNanos;
  }

  void feed(ByteBuf bytes, long now) {
    nowNanos = now;
    events.feed(bytes);
  }

  /** Handles the reply's end; returns null on success. */
  @Nullable Failure end() {
    events.finish();
    if (failure != null) {
      return failure;
    }
    if (!isDone) {
      return Failure.BROKEN;
    }
    return check.isValid() ? null : Failure.FRAMES;
  }

  /** Returns the failure of a reply that is cut off: that of its error event, if it had one. */
  Failure cutOff() {
    return failure == null ? Failure.BROKEN : failure;
  }

  @Override
  public void event(String name, byte[] data, int from, int to) {
    tally.event();
    if (ContentScan.isDone(data, from, to)) {
      isDone = true;
    } else if (name.equals("error") || ContentScan.isError(data, from, to)) {
      failure = Failure.ERROR_EVENT;
      tally.problem("in a stream: " + ErrorText.shortened(data, from, to));
    } else {
      content(ContentScan.hash(data, from, to));
    }
  }

  private void content(long hash) {
    if (hash == ContentScan.NOTHING) {
      return;
    }
    long sinceIntendedNanos = nowNanos - intendedNanos;
    if (!hasContent) {
      hasContent = true;
      tally.firstToken(sinceIntendedNanos);
    }
    check.frame(hash, sinceIntendedNanos);
  }

  @Override
  public void comment() {}

  @Override
  public void oversized(int eventBytesMax) {
    failure = Failure.MALFORMED;
  }
}
