package dev.tollgate.core.sse;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Sink that records all its calls. */
class RecordedEvents implements SseSink {
  private final List<String> events = new ArrayList<>();
  private int comments;
  private int oversized;

  @Override
  public void event(String name, byte[] data, int from, int to) {
    events.add(name + "|" + new String(data, from, to - from, StandardCharsets.UTF_8));
  }

  @Override
  public void comment() {
    comments++;
  }

  @Override
  public void oversized(int eventBytesMax) {
    oversized++;
  }

  /** Returns name and data of each event, such as {@code message|x}. */
  final List<String> events() {
    return events;
  }

  final int comments() {
    return comments;
  }

  final int oversized() {
    return oversized;
  }
}
