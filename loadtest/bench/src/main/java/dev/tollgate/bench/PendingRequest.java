package dev.tollgate.bench;

import dev.tollgate.core.http.ResponseHead;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Benchmark request that was sent, with the state of its response until the response ends. */
final class PendingRequest {
  private static final int OK = 200;

  private final Tally tally;
  private final long intendedNanos;
  private final @Nullable StreamReader stream;
  private int status;
  private boolean isKeptAlive;
  private byte[] refusal = new byte[0];

  PendingRequest(RequestTemplate work, long intendedNanos) {
    this.tally = work.tally();
    this.intendedNanos = intendedNanos;
    this.stream =
        switch (work.reply()) {
          case RequestTemplate.Reply.Plain() -> null;
          case RequestTemplate.Reply.Streamed(Script script) ->
              new StreamReader(tally, script.newCheck(tally), intendedNanos);
        };
  }

  void head(ResponseHead head) {
    status = head.status();
    isKeptAlive = head.keepAlive();
  }

  /** Reads a part of the body, which the caller still owns. */
  void body(ByteBuf bytes, long nowNanos) {
    if (status != OK) {
      refused(bytes);
    } else if (stream != null) {
      stream.feed(bytes, nowNanos);
    }
  }

  private void refused(ByteBuf bytes) {
    if (refusal.length == 0) {
      refusal = new byte[Math.min(bytes.readableBytes(), ErrorText.BYTES_MAX)];
      bytes.readBytes(refusal);
    }
  }

  /** Handles the body's end; returns null on success. */
  @Nullable Failure end() {
    if (status != OK) {
      tally.problem(status + ": " + ErrorText.shortened(refusal, 0, refusal.length));
      return Failure.STATUS;
    }
    return stream == null ? null : stream.end();
  }

  /** Returns the failure of a reply whose body has no end. */
  Failure cutOff() {
    return stream == null ? Failure.BROKEN : stream.cutOff();
  }

  /** Counts the outcome. */
  void count(@Nullable Failure failure, long nowNanos) {
    if (failure == null) {
      tally.answered(nowNanos - intendedNanos);
    } else {
      tally.failed(failure, nowNanos - intendedNanos);
    }
  }

  boolean isOverdue(long nowNanos, long timeoutNanos) {
    return nowNanos - intendedNanos > timeoutNanos;
  }

  /** True if the connection may serve another request. */
  boolean isKeptAlive() {
    return isKeptAlive;
  }
}
