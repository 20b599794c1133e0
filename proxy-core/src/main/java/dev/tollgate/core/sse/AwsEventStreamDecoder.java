package dev.tollgate.core.sse;

import java.util.zip.CRC32;

/**
 * Decoder of AWS's binary event streams ({@code application/vnd.amazon.eventstream}). A frame has a
 * prelude with two lengths and its checksum, headers, a payload, and a checksum of the whole frame.
 * A frame inside one read is passed on without a copy. It is confined to one thread; the sink may
 * {@link #close} it.
 */
public final class AwsEventStreamDecoder extends ArrayDecoder {
  private static final int PRELUDE_BYTES = 12;
  private static final int CHECKSUM_BYTES = 4;

  /** Largest size of one frame's headers in bytes; Amazon's have about 90. */
  private static final int HEADERS_BYTES_MAX = 8 * 1_024;

  private final SseSink sink;
  private final int eventBytesMax;
  private final PendingBytes held;
  private final AwsEventStreamHeaders headers = new AwsEventStreamHeaders();
  private final CRC32 checksum = new CRC32();

  /** Size in bytes of the frame that has begun; 0 means unknown. */
  private int frameBytes;

  private boolean ended;

  /**
   * Creates a decoder at the start of a stream.
   *
   * @param eventBytesMax largest size of one payload in bytes
   */
  public AwsEventStreamDecoder(SseSink sink, int eventBytesMax) {
    this.sink = sink;
    this.eventBytesMax = eventBytesMax;
    this.held =
        new PendingBytes(eventBytesMax + HEADERS_BYTES_MAX + PRELUDE_BYTES + CHECKSUM_BYTES);
  }

  /** Ends the stream; an incomplete frame is discarded. */
  @Override
  public void finish() {
    close();
  }

  @Override
  public void close() {
    ended = true;
    frameBytes = 0;
    held.release();
  }

  @Override
  public boolean isMidEvent() {
    return held.size() > 0;
  }

  @Override
  public int heldBytes() {
    return held.capacity();
  }

  @Override
  void read(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && !ended) {
      if (held.size() == 0 && to - at >= PRELUDE_BYTES) {
        prelude(bytes, at);
      }
      if (frameBytes > 0 && held.size() == 0 && to - at >= frameBytes) {
        int end = at + frameBytes;
        frame(bytes, at, end);
        at = end;
      } else if (!ended) {
        at = hold(bytes, at, to);
      }
    }
  }

  /** Keeps a part of a frame that ends in a later read. */
  private int hold(byte[] bytes, int from, int to) {
    int goal = frameBytes == 0 ? PRELUDE_BYTES : frameBytes;
    int end = from + Math.min(goal - held.size(), to - from);
    held.append(bytes, from, end);
    if (frameBytes == 0 && held.size() == PRELUDE_BYTES) {
      prelude(held.bytes(), 0);
    } else if (held.size() == frameBytes) {
      frame(held.bytes(), 0, frameBytes);
      held.clear();
    }
    return end;
  }

  private void prelude(byte[] bytes, int at) {
    long all = unsigned(bytes, at);
    long ofHeaders = unsigned(bytes, at + 4);
    long ofPayload = all - ofHeaders - PRELUDE_BYTES - CHECKSUM_BYTES;
    if (!isChecksum(bytes, at, at + 8) || ofHeaders > HEADERS_BYTES_MAX || ofPayload < 0) {
      broken();
    } else if (ofPayload > eventBytesMax) {
      close();
      sink.oversized(eventBytesMax);
    } else {
      frameBytes = (int) all;
    }
  }

  private void frame(byte[] bytes, int at, int end) {
    frameBytes = 0;
    int payload = at + PRELUDE_BYTES + (int) unsigned(bytes, at + 4);
    boolean valid = isChecksum(bytes, at, end - CHECKSUM_BYTES);
    if (!valid || !headers.read(bytes, at + PRELUDE_BYTES, payload)) {
      broken();
      return;
    }
    switch (headers.kind()) {
      case EVENT -> sink.event(headers.name(), bytes, payload, end - CHECKSUM_BYTES);
      case EXCEPTION, ERROR -> {
        byte[] error = headers.error(bytes, payload, end - CHECKSUM_BYTES);
        sink.event("error", error, 0, error.length);
      }
      case UNKNOWN -> broken();
    }
  }

  private void broken() {
    close();
    sink.broken();
  }

  /** True if the checksum after these bytes is theirs. */
  private boolean isChecksum(byte[] bytes, int from, int to) {
    checksum.reset();
    checksum.update(bytes, from, to - from);
    return checksum.getValue() == unsigned(bytes, to);
  }

  private static long unsigned(byte[] bytes, int at) {
    return (bytes[at] & 0xffL) << 24
        | (bytes[at + 1] & 0xff) << 16
        | (bytes[at + 2] & 0xff) << 8
        | (bytes[at + 3] & 0xff);
  }
}
