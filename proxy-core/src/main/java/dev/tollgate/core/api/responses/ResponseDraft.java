package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.ResumePoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Part of a streamed Responses API reply that was sent so far: the number of events, and the items
 * with their texts. The last event repeats these texts. Another provider may continue it. It is not
 * thread-safe: one request uses it on one event loop.
 */
public final class ResponseDraft implements ResumePoint {
  private static final int CALL_BYTES = 256; // memory of a call without text

  private final List<ResponseItem> items = new ArrayList<>(1);
  private final Map<Long, ResponseItem.Call> calls = new HashMap<>(0);
  private ResponseItem.@Nullable Message message;
  private int messages;
  private long events;
  private int bytes;

  /** True if an event was sent. */
  boolean isBegun() {
    return events > 0;
  }

  /** Returns the sequence number of the next event. */
  long nextNumber() {
    return events++;
  }

  /** Returns the items in the order in which they began. */
  List<ResponseItem> items() {
    return items;
  }

  /** Returns the assistant's message; null before it begins, and after it ended. */
  ResponseItem.@Nullable Message message() {
    return message;
  }

  ResponseItem.Message beginMessage(ReplyStamp stamp) {
    var begun = new ResponseItem.Message(stamp, messages++);
    message = begun;
    items.add(begun);
    return begun;
  }

  /** Ends the message: more text begins another one. */
  void endMessage() {
    message = null;
  }

  /** Returns the call with the provider's index; null if there is none yet. */
  ResponseItem.@Nullable Call call(long index) {
    return calls.get(index);
  }

  /** Returns the number of calls. */
  int callCount() {
    return calls.size();
  }

  ResponseItem.Call begin(long index, ResponseItem.Call call) {
    calls.put(index, call);
    addBytes(CALL_BYTES);
    return call;
  }

  /** Returns the position of an item in the output, and assigns one if needed. */
  int outputIndex(ResponseItem item) {
    int at = items.indexOf(item);
    if (at < 0) {
      items.add(item);
      return items.size() - 1;
    }
    return at;
  }

  /** Adds to the size of the kept text; negative if text was replaced by a shorter one. */
  void addBytes(int byBytes) {
    bytes += byBytes;
  }

  /** Returns the size of the kept text: texts, names, and a constant for each call. */
  int bytes() {
    return bytes;
  }
}
