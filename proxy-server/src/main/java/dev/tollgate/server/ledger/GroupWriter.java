package dev.tollgate.server.ledger;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord;
import dev.tollgate.core.ledger.JournalRecord.Progress;
import dev.tollgate.core.ledger.JournalRecord.Release;
import dev.tollgate.core.ledger.JournalRecord.Reserve;
import dev.tollgate.core.ledger.JournalRecord.Settle;
import dev.tollgate.server.ledger.JournalReader.Position;
import dev.tollgate.server.ledger.UnsettledQueue.Charge;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writer of records into journal segments, in groups that are synced together. A group with a
 * charge is synced before the charge is reported as durable; other groups are synced with the next
 * such one. Confined to the writer's thread.
 */
final class GroupWriter {
  private static final int GROUP_BYTES_MAX = 1024 * 1024;

  private final SegmentSupply supply;
  private final LiveSegments liveSegments;
  private final UnsettledQueue unsettled;
  private final Durability durability;
  private final ByteBuffer buffer;
  private final Map<RequestId, Long> running = new HashMap<>();

  private volatile int runningCount;
  private int concurrentMax;
  private volatile int segmentBytesFree;
  private Segment segment;
  private long seq;
  private long durableUpto;

  /** Start of the group that is being filled. */
  private Position groupStart;

  private final List<Charge> charges = new ArrayList<>();

  /** Segments of reservations that ended, but perhaps not durably yet. */
  private final List<Long> ended = new ArrayList<>();

  /** Creates a writer that begins an epoch with its first segment. */
  GroupWriter(
      Segment first,
      SegmentSupply supply,
      LiveSegments liveSegments,
      UnsettledQueue unsettled,
      Durability durability)
      throws IOException {
    this.segment = first;
    this.supply = supply;
    this.liveSegments = liveSegments;
    this.unsettled = unsettled;
    this.durability = durability;
    this.buffer = ByteBuffer.allocateDirect(Math.min(GROUP_BYTES_MAX, first.bytesFree()));
    this.groupStart = Position.startOf(first.id());
    begin(first);
  }

  /** Begins a group, to which records are added until it is {@link #write written}. */
  void open() throws IOException {
    if (segment.bytesFree()
        < Frames.GROUP_FRAME_BYTES + Frames.FRAME_BYTES_MAX + Frames.SECTOR_BYTES) {
      roll();
    }
    buffer.clear().limit(Math.min(buffer.capacity(), segment.bytesFree()));
    groupStart = new Position(segment.id(), segment.at(), seq + 1);
    segment.frames().putGroup(++seq, durableUpto, buffer);
  }

  boolean hasRoom() {
    return buffer.remaining() >= Frames.FRAME_BYTES_MAX + Frames.SECTOR_BYTES;
  }

  void add(JournalRecord record) {
    segment.frames().put(++seq, record, buffer);
    switch (record) {
      case Reserve reserve -> {
        running.put(reserve.request(), segment.id());
        concurrentMax = Math.max(concurrentMax, running.size() + charges.size());
        liveSegments.reservationBegan(segment.id());
      }
      case Progress _ -> {}
      case Release release -> end(release.request());
      case Settle settle -> {
        end(settle.request());
        charges.add(new Charge(segment.id(), settle.settlement()));
      }
    }
  }

  /** Writes the group. When this method returns, its charges are as durable as configured. */
  void write() throws IOException {
    append();
    runningCount = running.size();
    if (durability == Durability.PROCESS) {
      acknowledge();
    } else if (!charges.isEmpty()) {
      force();
    }
  }

  /** Syncs everything and writes a last group that records that. */
  void finish() throws IOException {
    force();
    open();
    append();
    force();
    liveSegments.seal(segment.id());
    segment.close();
  }

  /** Returns the number of running requests with a reservation. */
  int runningCount() {
    return runningCount;
  }

  /**
   * Returns the most concurrent requests since the last call, including those that wait for a sync.
   */
  int takeConcurrentMax() {
    int max = concurrentMax;
    concurrentMax = running.size();
    return max;
  }

  /** Returns the free space of the present segment. */
  int segmentBytesFree() {
    return segmentBytesFree;
  }

  private void end(RequestId request) {
    Long reservedIn = running.remove(request);
    if (reservedIn != null) {
      ended.add(reservedIn);
    }
  }

  private void append() throws IOException {
    Frames.pad(buffer);
    segment.append(buffer.flip());
    segmentBytesFree = segment.bytesFree();
  }

  private void force() throws IOException {
    segment.force();
    durableUpto = seq;
    acknowledge();
  }

  private void acknowledge() {
    if (!charges.isEmpty()) {
      charges.forEach(charge -> liveSegments.charged(charge.segment(), 1));
      unsettled.add(charges, groupStart);
      charges.clear();
    }
    liveSegments.ended(ended);
    ended.clear();
  }

  private void roll() throws IOException {
    force();
    Segment full = segment;
    segment = supply.take();
    begin(segment);
    liveSegments.seal(full.id());
    full.close();
  }

  /** Writes and syncs the first group of a segment before any other group of it. */
  private void begin(Segment fresh) throws IOException {
    liveSegments.add(fresh.id());
    buffer.clear();
    fresh.frames().putGroup(++seq, durableUpto, buffer);
    append();
    fresh.force();
    durableUpto = seq;
  }
}
