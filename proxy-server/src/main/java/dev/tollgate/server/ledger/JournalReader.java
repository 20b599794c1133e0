package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.JournalCodec;
import dev.tollgate.core.ledger.JournalCodec.Decoded;
import dev.tollgate.core.ledger.JournalRecord;
import dev.tollgate.server.ledger.FrameReader.Step;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongFunction;

/** Reads the records of one life in their order, from segment to segment, up to the first gap. */
final class JournalReader implements AutoCloseable {
  private final Disk disk;
  private final LongFunction<Optional<SegmentName>> names;
  private long segment;
  private FrameReader frames;
  private long expected;

  /** A record and the segment that it stands in. */
  record Entry(long segment, JournalRecord record) {}

  /**
   * A place between two frames.
   *
   * @param expected the seq of the frame behind it, or {@link FrameReader#ANY_SEQ}
   */
  record Position(long segment, long at, long expected) {

    static Position startOf(long segment) {
      return new Position(segment, SegmentHeader.BYTES, FrameReader.ANY_SEQ);
    }
  }

  /**
   * A reader from one place on.
   *
   * @param names the present name of a segment, by its id
   */
  JournalReader(Disk disk, LongFunction<Optional<SegmentName>> names, Position from)
      throws IOException {
    this.disk = disk;
    this.names = names;
    this.segment = from.segment();
    this.expected = from.expected();
    this.frames = open(name(segment), from.at());
  }

  /** The next record; empty at the first gap, and from then on. */
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

  /** Behind the last record. */
  Position position() {
    return new Position(segment, frames.at(), expected);
  }

  /** Whether the disk had everything up to a seq, says a group behind the gap. */
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
    // Who has read nothing cannot know what follows: any next segment would seem to.
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
                        disk.path(name.toString()), 0, "no header of this version"));
    if (header.id() != name.id()) {
      throw new DamagedJournalException(
          disk.path(name.toString()), 0, "it is segment " + header.id() + " under another name");
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
              "a record that this version cannot read: " + damaged.why());
    };
  }

  private SegmentName name(long id) {
    return names.apply(id).orElseThrow(() -> new IllegalStateException("no segment " + id));
  }
}
