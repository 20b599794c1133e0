package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Header of a journal segment, in its first sector: the segment's id, and the node and epoch that
 * wrote it.
 *
 * @param id grows by one from segment to segment, over all epochs
 */
record SegmentHeader(long id, LeaseHolder holder) {
  static final int BYTES = Frames.SECTOR_BYTES;

  private static final long MAGIC = 0x544f4c4c474a524eL; // TOLLGJRN
  private static final int VERSION = 1;

  /** Returns the bytes of the whole sector. */
  ByteBuffer encoded() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.putLong(MAGIC).putInt(VERSION).putLong(id).putLong(holder.epoch());
    put(holder.node(), bytes);
    put(holder.boot(), bytes);
    bytes.putInt(crc(bytes, bytes.position()));
    return bytes.rewind();
  }

  /** Returns the header; empty if the bytes are none, or one of another version. */
  static Optional<SegmentHeader> decode(ByteBuffer bytes) {
    if (bytes.remaining() < BYTES || bytes.getLong() != MAGIC || bytes.getInt() != VERSION) {
      return Optional.empty();
    }
    long id = bytes.getLong();
    long epoch = bytes.getLong();
    UUID node = new UUID(bytes.getLong(), bytes.getLong());
    UUID boot = new UUID(bytes.getLong(), bytes.getLong());
    int expected = crc(bytes, bytes.position());
    return bytes.getInt() == expected
        ? Optional.of(new SegmentHeader(id, new LeaseHolder(node, epoch, boot)))
        : Optional.empty();
  }

  private static void put(UUID uuid, ByteBuffer into) {
    into.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
  }

  private static int crc(ByteBuffer bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(0, length));
    return (int) crc.getValue();
  }
}
