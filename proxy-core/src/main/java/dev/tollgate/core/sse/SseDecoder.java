package dev.tollgate.core.sse;

import java.nio.charset.StandardCharsets;

/**
 * Decoder of server-sent events (SSE), for all line ends and however the stream is split. An event
 * inside one read is passed on without a copy; one that spans reads is collected in an array that
 * is freed with it. It is confined to one thread; the sink may {@link #close} it.
 */
public final class SseDecoder extends ArrayDecoder {
  private static final String DEFAULT_NAME = "message";
  private static final int NAME_BYTES_MAX = 1_024;
  private static final int FRAME_BYTES = 2_048;
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};
  private static final byte[] NONE = {};

  private final SseSink sink;
  private final int eventBytesMax;

  /** Bytes kept between reads: the data of the event so far, then the open line. */
  private final PendingBytes held;

  private String name = DEFAULT_NAME;
  private String knownName = DEFAULT_NAME;
  private boolean hasData;

  /**
   * True if the data is in {@code held}, else it is in the read's array, as long as no copy is
   * needed.
   */
  private boolean dataHeld;

  private byte[] data = NONE;
  private int dataFrom;
  private int dataTo;

  /** True if a line began in an earlier read; then its kind, and its start in {@code held}. */
  private boolean lineOpen;

  private SseLine line = SseLine.UNDECIDED;
  private int lineFrom;

  private int markMatched;
  private boolean skipLineFeed;
  private boolean ended;

  /**
   * Creates a decoder at the start of a stream.
   *
   * @param eventBytesMax largest size of one event's data in bytes
   */
  public SseDecoder(SseSink sink, int eventBytesMax) {
    this.sink = sink;
    this.eventBytesMax = eventBytesMax;
    this.held = new PendingBytes(eventBytesMax + FRAME_BYTES);
  }

  /**
   * Ends the stream; a last event without its blank line counts
   * (docs/decisions/streaming.md#endings).
   */
  @Override
  public void finish() {
    if (!ended && lineOpen) {
      endOpenLine();
    }
    if (!ended) {
      dispatch();
    }
    close();
  }

  @Override
  public void close() {
    ended = true;
    resetEvent();
    held.release();
  }

  @Override
  public boolean isMidEvent() {
    return !ended && (hasData || !name.equals(DEFAULT_NAME) || (lineOpen && line.isOfEvent()));
  }

  @Override
  public int heldBytes() {
    return held.capacity();
  }

  @Override
  void read(byte[] bytes, int from, int to) {
    int at = skipMark(bytes, from, to);
    while (at < to && !ended) {
      if (skipLineFeed && bytes[at] == '\n') {
        skipLineFeed = false;
        at++;
        continue;
      }
      int end = SseLine.end(bytes, at, to);
      if (end < 0) {
        skipLineFeed = false;
        holdData();
        holdLine(bytes, at, to);
        return;
      }
      skipLineFeed = bytes[end] == '\r';
      endLine(bytes, at, end);
      at = end + 1;
    }
    holdData();
  }

  /** Skips a byte order mark at the very start; an incomplete one makes its line invalid. */
  private int skipMark(byte[] bytes, int from, int to) {
    int at = from;
    while (markMatched < BYTE_ORDER_MARK.length && at < to) {
      if (bytes[at] != BYTE_ORDER_MARK[markMatched]) {
        lineOpen = markMatched > 0;
        line = SseLine.IGNORED;
        markMatched = BYTE_ORDER_MARK.length;
        return at;
      }
      markMatched++;
      at++;
    }
    return at;
  }

  private void endLine(byte[] bytes, int from, int to) {
    if (lineOpen) {
      holdLine(bytes, from, to);
      endOpenLine();
    } else {
      line(bytes, from, to);
    }
  }

  private void endOpenLine() {
    lineOpen = false;
    if (ended) {
      return;
    }
    switch (line) {
      case COMMENT -> sink.comment();
      case IGNORED -> {}
      case UNDECIDED, DATA, EVENT -> {
        line(held.bytes(), lineFrom, held.size());
        held.truncate(hasData ? dataTo : 0);
      }
    }
  }

  /** Reads one whole line, in a read's array or in the held one. */
  private void line(byte[] bytes, int from, int to) {
    if (from == to) {
      dispatch();
      return;
    }
    SseLine kind = SseLine.of(bytes, from, to);
    switch (kind) {
      case COMMENT -> sink.comment();
      case DATA -> addData(bytes, kind.valueStart(bytes, from, to), to);
      case EVENT -> rename(bytes, kind.valueStart(bytes, from, to), to);
      case IGNORED, UNDECIDED -> {}
    }
  }

  private void dispatch() {
    if (hasData) {
      String eventName = name;
      byte[] bytes = dataHeld ? held.bytes() : data;
      resetEvent();
      sink.event(eventName, bytes, dataFrom, dataTo);
    }
    resetEvent();
    held.clear();
  }

  private void resetEvent() {
    name = DEFAULT_NAME;
    hasData = false;
    dataHeld = false;
    data = NONE;
  }

  private void addData(byte[] bytes, int from, int to) {
    if (to - from > dataRoom()) {
      oversized();
    } else if (!hasData) {
      hasData = true;
      dataHeld = held.isArray(bytes);
      data = dataHeld ? NONE : bytes;
      dataFrom = from;
      dataTo = to;
    } else {
      joinData(bytes, from, to);
    }
  }

  private void joinData(byte[] bytes, int from, int to) {
    holdData();
    if (held.isArray(bytes)) {
      held.moveTail(from, dataTo + 1);
      held.set(dataTo, '\n');
    } else {
      held.append('\n');
      held.append(bytes, from, to);
    }
    dataTo = held.size();
  }

  private void rename(byte[] bytes, int from, int to) {
    if (to - from > NAME_BYTES_MAX) {
      oversized();
    } else if (from == to) {
      name = DEFAULT_NAME;
    } else {
      if (!isText(bytes, from, to, knownName)) {
        knownName = new String(bytes, from, to - from, StandardCharsets.UTF_8);
      }
      name = knownName;
    }
  }

  /** Keeps the event's data beyond the end of a read. */
  private void holdData() {
    if (hasData && !dataHeld) {
      held.append(data, dataFrom, dataTo);
      data = NONE;
      dataHeld = true;
      dataFrom = 0;
      dataTo = held.size();
    }
  }

  /** Keeps a part of a line that ends in a later read, unless the line is ignored. */
  private void holdLine(byte[] bytes, int from, int to) {
    if (!lineOpen) {
      lineOpen = true;
      line = SseLine.UNDECIDED;
      lineFrom = held.size();
    }
    int at = from;
    while (at < to && line == SseLine.UNDECIDED) {
      held.append(bytes, at, ++at);
      line = SseLine.ofBeginning(held.bytes(), lineFrom, held.size());
    }
    switch (line) {
      case UNDECIDED -> {}
      case COMMENT, IGNORED -> held.truncate(lineFrom);
      case DATA, EVENT -> holdValue(bytes, at, to);
    }
  }

  private void holdValue(byte[] bytes, int from, int to) {
    int valueBytes = held.size() - line.valueStart(held.bytes(), lineFrom, held.size());
    int room = line == SseLine.DATA ? dataRoom() : NAME_BYTES_MAX;
    if (valueBytes + to - from > room) {
      oversized();
    } else {
      held.append(bytes, from, to);
    }
  }

  /** Returns the most bytes that one more line of data may have. */
  private int dataRoom() {
    return hasData ? eventBytesMax - (dataTo - dataFrom) - 1 : eventBytesMax;
  }

  private void oversized() {
    close();
    sink.oversized(eventBytesMax);
  }

  private static boolean isText(byte[] bytes, int from, int to, String ascii) {
    if (to - from != ascii.length()) {
      return false;
    }
    for (int i = 0; i < ascii.length(); i++) {
      if (bytes[from + i] != ascii.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
