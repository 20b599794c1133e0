package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.JournalCodec;
import dev.tollgate.core.ledger.JournalCodec.Decoded;
import dev.tollgate.core.ledger.JournalRecord;
import dev.tollgate.server.ledger.FrameReader.Step;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongFunction;

/** Reader of one epoch's journal records in order, from segment to segment, up to the first gap. */
final class JournalReader implements AutoCloseable {
  private final Disk disk;
  private final LongFunction<Optional<SegmentName>> names;
  private long segment;
  private FrameReader frames;
  private long expected;

  /** Journal record and the number of its segment. */
  record Entry(long segment, JournalRecord record) {}

  /**
   * Position in the journal between two frames.
   *
   * @param expected the seq of the frame after it, or {@link FrameReader#ANY_SEQ}
   */
  record Position(long segment, long at, long expected) {

    static Position startOf(long segment) {
      return new Position(segment, SegmentHeader.BYTES, FrameReader.ANY_SEQ);
    }
  }

  /**
   * Creates a reader that begins at a position.
   *
   * @param names finds the present name of a segment by its id
   */
  JournalReader(Disk disk, LongFunction<Optional<SegmentName>> names, Position from)
      throws IOException {
    this.disk = disk;
    this.names = names;
    this.segment = from.segment();
    this.expected = from.expected();
    this.frames = open(name(segment), from.at());
  }

  /** Reads the next record; empty at the first gap, and from then on. */
  Optional<Entry> next() throws IOException {
    while (true) {
      switch (nextStep()) {
        case Step.Gap _ -> {
          return Optional.empty();
        }
        case Step.Frame frame -> {
          expected = frame.seq() + 1;
          if (!frame.isGroup()) {
            return Optional.of(new Entry(segment, record(frame)));
          }
        }
      }
    }
  }

  /** Returns the position after the last record. */
  Position position() {
    return new Position(segment, frames.at(), expected);
  }

  /** True if a group after the gap records that everything up to a seq was durable. */
  boolean wasDurableBehind(long seq) throws IOException {
    if (frames.durableUptoBehind().orElse(Long.MIN_VALUE) >= seq) {
      return true;
    }
    for (long id = segment + 1; names.apply(id).isPresent(); id++) {
      try (FrameReader later = open(name(id), SegmentHeader.BYTES)) {
        if (later.durableUptoBehind().orElse(Long.MIN_VALUE) >= seq) {
          return true;
        }
      }
    }
    return false;
  }

  static SegmentHeader header(Disk disk, SegmentName name) throws IOException {
    try (Disk.File file = disk.open(name.toString())) {
      return header(disk, name, file);
    }
  }

  @Override
  public void close() throws IOException {
    frames.close();
  }

  private Step nextStep() throws IOException {
    Step step = frames.next();
    // A reader that has read nothing does not know the next seq, so any segment would seem to
    // follow.
    boolean isFollowable = expected != FrameReader.ANY_SEQ;
    if (isFollowable && step instanceof Step.Gap && names.apply(segment + 1).isPresent()) {
      FrameReader following = open(name(segment + 1), SegmentHeader.BYTES);
      Step first = following.next();
      if (first instanceof Step.Frame) {
        frames.close();
        frames = following;
        segment++;
        return first;
      }
      following.close();
    }
    return step;
  }

  private FrameReader open(SegmentName name, long at) throws IOException {
    Disk.File file = disk.open(name.toString());
    try {
      return new FrameReader(file, header(disk, name, file), at, expected);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  private static SegmentHeader header(Disk disk, SegmentName name, Disk.File file)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.BYTES);
    file.read(bytes, 0);
    SegmentHeader header =
        SegmentHeader.decode(bytes.flip())
            .orElseThrow(
                () ->
                    new DamagedJournalException(
                        disk.path(name.toString()), 0, "it has no header of this version"));
    if (header.id() != name.id()) {
      throw new DamagedJournalException(
          disk.path(name.toString()), 0, "its header has segment id " + header.id());
    }
    return header;
  }

  private JournalRecord record(Step.Frame frame) throws IOException {
    return switch (JournalCodec.decode(frame.payload())) {
      case Decoded.Intact intact -> intact.record();
      case Decoded.Damaged damaged ->
          throw new DamagedJournalException(
              disk.path(name(segment).toString()),
              frame.at(),
              "this version cannot read a record: " + damaged.why());
    };
  }

  private SegmentName name(long id) {
    return names.apply(id).orElseThrow(() -> new IllegalStateException("no segment " + id));
  }
}
