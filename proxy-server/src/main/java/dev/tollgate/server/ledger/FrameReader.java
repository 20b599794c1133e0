package dev.tollgate.server.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** Reader of the frames of a journal segment in order, up to the first one that is not complete. */
final class FrameReader implements AutoCloseable {
  /** Expected seq of a caller that does not know with which one a segment begins. */
  static final long ANY_SEQ = -1;

  private static final int BUFFER_BYTES = 256 * 1024;

  private final Disk.File file;
  private final Frames frames;
  private final long fileBytes;
  private final ByteBuffer buffer;
  private long bufferAt;
  private long at;
  private long expected;

  /** Result of reading at a position. */
  sealed interface Step {
    /** A frame; its payload is valid until the next step. */
    record Frame(long seq, long at, ByteBuffer payload) implements Step {
      boolean isGroup() {
        return payload.get(payload.position()) == Frames.GROUP;
      }
    }

    /** No frame, or not the expected one: the end, or damage. */
    record Gap(long at) implements Step {}
  }

  /**
   * Creates a reader that begins at a position.
   *
   * @param expected the seq of the next frame, or {@link #ANY_SEQ}
   */
  FrameReader(Disk.File file, SegmentHeader header, long at, long expected) throws IOException {
    this.file = file;
    this.frames = new Frames(header);
    this.fileBytes = file.size();
    this.buffer = ByteBuffer.allocate((int) Math.min(fileBytes, BUFFER_BYTES));
    this.at = at;
    this.expected = expected;
    buffer.limit(0);
  }

  /** Reads the next frame, directly after the last one or in the next sector. */
  Step next() throws IOException {
    long here = at;
    if (!isNext(here)) {
      here = Frames.nextSector(at);
      if (here == at || !isNext(here)) {
        return new Step.Gap(at);
      }
    }
    int offset = (int) (here - bufferAt);
    long seq = Frames.seq(buffer, offset);
    ByteBuffer payload = Frames.payload(buffer, offset);
    at = here + Frames.HEAD_BYTES + payload.remaining();
    expected = seq + 1;
    return new Step.Frame(seq, here, payload);
  }

  /** Returns the position after the last frame. */
  long at() {
    return at;
  }

  /** Returns the highest {@code durable_upto} of the groups from here to the segment's end. */
  OptionalLong durableUptoBehind() throws IOException {
    OptionalLong highest = OptionalLong.empty();
    for (long here = Frames.nextSector(at); here < fileBytes; here += Frames.SECTOR_BYTES) {
      if (isFrame(here)) {
        ByteBuffer payload = Frames.payload(buffer, (int) (here - bufferAt));
        if (payload.get() == Frames.GROUP) {
          long upto = payload.getLong();
          highest = OptionalLong.of(Math.max(upto, highest.orElse(upto)));
        }
      }
    }
    return highest;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  private boolean isNext(long here) throws IOException {
    return isFrame(here)
        && (expected == ANY_SEQ || Frames.seq(buffer, (int) (here - bufferAt)) == expected);
  }

  private boolean isFrame(long here) throws IOException {
    if (here >= fileBytes) {
      return false;
    }
    long wanted = Math.min(fileBytes, here + Frames.FRAME_BYTES_MAX);
    if (here < bufferAt || wanted > bufferAt + buffer.limit()) {
      bufferAt = here;
      buffer.clear();
      file.read(buffer, here);
      buffer.flip();
    }
    return frames.isFrame(buffer, (int) (here - bufferAt));
  }
}
