package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.ResumePoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A streamed response as far as it was told: how many events there were, and the items with their
 * texts, which the last event repeats. Another provider may write it on. Not thread safe: one
 * request on one loop.
 */
public final class ResponseDraft implements ResumePoint {
  private static final int CALL_BYTES = 256; // what a call takes before it says anything

  private final List<ResponseItem> items = new ArrayList<>(1);
  private final Map<Long, ResponseItem.Call> calls = new HashMap<>(0);
  private ResponseItem.@Nullable Message message;
  private long events;
  private int bytes;

  /** Whether anything was told. */
  boolean isBegun() {
    return events > 0;
  }

  /** The number of the event that comes next. */
  long nextNumber() {
    return events++;
  }

  /** The items in the order in which they began. */
  List<ResponseItem> items() {
    return items;
  }

  /** What the assistant says; null while it says nothing. */
  ResponseItem.@Nullable Message message() {
    return message;
  }

  ResponseItem.Message begin(ResponseItem.Message begun) {
    message = begun;
    items.add(begun);
    return begun;
  }

  /** The call to which the provider gave this index; null: none so far. */
  ResponseItem.@Nullable Call call(long index) {
    return calls.get(index);
  }

  /** How many calls there are. */
  int callCount() {
    return calls.size();
  }

  ResponseItem.Call begin(long index, ResponseItem.Call call) {
    calls.put(index, call);
    addBytes(CALL_BYTES);
    return call;
  }

  /** The place of an item in the output; it is given one where it has none. */
  int outputIndex(ResponseItem item) {
    int at = items.indexOf(item);
    if (at < 0) {
      items.add(item);
      return items.size() - 1;
    }
    return at;
  }

  /** More text is kept; less where it was replaced by a shorter one. */
  void addBytes(int byBytes) {
    bytes += byBytes;
  }

  /** How much is kept: text, names, and something for each call. */
  int bytes() {
    return bytes;
  }
}
