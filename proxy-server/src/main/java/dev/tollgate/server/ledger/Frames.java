package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.JournalCodec;
import dev.tollgate.core.ledger.JournalRecord;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Format of the frames in a journal segment, {@code [length|crc32c|seq|epoch|payload]}, where the
 * payload's first byte is its type. Frames form groups that begin on a sector boundary, so that no
 * write touches a sector with durable data. A group's first frame has the seq up to which
 * everything was durable when the group was written. The checksum is seeded with the segment's id,
 * so that a stale frame of another segment is invalid.
 */
final class Frames {
  static final int SECTOR_BYTES = 512;

  /** Bytes before the payload. */
  static final int HEAD_BYTES = 4 + 4 + 8 + 8;

  /** Longest frame. */
  static final int FRAME_BYTES_MAX = HEAD_BYTES + JournalCodec.RECORD_BYTES_MAX;

  /** Type of a group's first frame, followed by {@code durable_upto}. */
  static final byte GROUP = 'G';

  static final int GROUP_FRAME_BYTES = HEAD_BYTES + 1 + 8;

  private final long segment;
  private final long epoch;

  Frames(SegmentHeader header) {
    this.segment = header.id();
    this.epoch = header.holder().epoch();
  }

  /** Begins a group; the buffer must be at the start of a sector. */
  void putGroup(long seq, long durableUpto, ByteBuffer into) {
    int at = open(seq, into);
    into.put(GROUP).putLong(durableUpto);
    seal(at, into);
  }

  /** Appends a record, at most {@link #FRAME_BYTES_MAX} bytes. */
  void put(long seq, JournalRecord record, ByteBuffer into) {
    int at = open(seq, into);
    JournalCodec.encode(record, into);
    seal(at, into);
  }

  /** Ends a group: fills its last sector with zeros. */
  static void pad(ByteBuffer into) {
    while (into.position() % SECTOR_BYTES != 0) {
      into.put((byte) 0);
    }
  }

  static long nextSector(long at) {
    return (at + SECTOR_BYTES - 1) / SECTOR_BYTES * SECTOR_BYTES;
  }

  /** True if the bytes at a position are a complete frame of this segment. */
  boolean isFrame(ByteBuffer bytes, int at) {
    if (bytes.limit() - at < HEAD_BYTES + 1) {
      return false;
    }
    int length = bytes.getInt(at);
    return length > 0
        && length <= JournalCodec.RECORD_BYTES_MAX
        && length <= bytes.limit() - at - HEAD_BYTES
        && bytes.getLong(at + 16) == epoch
        && bytes.getInt(at + 4) == crc(bytes, at, length);
  }

  static long seq(ByteBuffer bytes, int at) {
    return bytes.getLong(at + 8);
  }

  static ByteBuffer payload(ByteBuffer bytes, int at) {
    return bytes.slice(at + HEAD_BYTES, bytes.getInt(at));
  }

  private int open(long seq, ByteBuffer into) {
    int at = into.position();
    into.putInt(0).putInt(0).putLong(seq).putLong(epoch);
    return at;
  }

  private void seal(int at, ByteBuffer into) {
    int length = into.position() - at - HEAD_BYTES;
    into.putInt(at, length).putInt(at + 4, crc(into, at, length));
  }

  private int crc(ByteBuffer bytes, int at, int length) {
    CRC32C crc = new CRC32C();
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (segment >>> shift));
    }
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      crc.update(length >>> shift);
    }
    // Covers seq, epoch and payload, by absolute index, because the buffer's position may be
    // elsewhere.
    ByteBuffer covered = bytes.duplicate();
    crc.update(covered.limit(at + HEAD_BYTES + length).position(at + 8));
    return (int) crc.getValue();
  }
}
