package dev.tollgate.core.api.embedding;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * Converts the vectors in a provider's embedding reply to base64, for clients that request it from
 * providers that return numbers only. Official SDKs request base64 by default, and some of them
 * read nothing else.
 */
public final class Base64Vectors {
  private static final byte[] NAME = "\"embedding\"".getBytes(StandardCharsets.US_ASCII);

  private Base64Vectors() {}

  /** Returns the body with its vectors in base64; empty if there is nothing to convert. */
  public static Optional<byte[]> of(byte[] body, int length) {
    if (!beginsWithNumbers(body, length)) {
      return Optional.empty();
    }
    try {
      JsonMembers root = JsonMembers.of(body, 0, length);
      int data = root.indexOf("data");
      return data >= 0 && root.kind(data) == JsonKind.ARRAY
          ? ofList(root, data, root.array(data))
          : Optional.empty();
    } catch (InvalidJson e) {
      return Optional.empty(); // the reader of the reply reports it
    }
  }

  /** True if the first vector is an array; the rest of a large body is not parsed. */
  private static boolean beginsWithNumbers(byte[] body, int length) {
    for (int i = 0; i + NAME.length < length; i++) {
      if (Arrays.equals(body, i, i + NAME.length, NAME, 0, NAME.length)) {
        int at = space(body, i + NAME.length, length);
        if (at < length && body[at] == ':') {
          int value = space(body, at + 1, length);
          return value < length && body[value] == '[';
        }
      }
    }
    return false;
  }

  private static int space(byte[] body, int from, int to) {
    int at = from;
    while (at < to && body[at] <= ' ') {
      at++;
    }
    return at;
  }

  private static Optional<byte[]> ofList(JsonMembers root, int data, JsonElements list) {
    JsonSplice edits = JsonSplice.of(list);
    for (int k = 0; k < list.size(); k++) {
      JsonMembers entry = list.kind(k) == JsonKind.OBJECT ? list.object(k) : null;
      int i = entry == null ? -1 : entry.indexOf("embedding");
      if (entry != null && i >= 0 && entry.kind(i) == JsonKind.ARRAY) {
        JsonElements numbers = entry.array(i);
        if (numbers.isCut() || !areNumbers(numbers)) {
          return Optional.empty();
        }
        edits.replace(k, JsonSplice.of(entry).replace(i, base64(numbers)));
      }
    }
    if (list.isCut() || edits.isUnchanged()) {
      return Optional.empty();
    }
    JsonSplice whole = JsonSplice.of(root).replace(data, edits);
    byte[] bytes = new byte[whole.sizeBytes()];
    whole.writeTo(Unpooled.wrappedBuffer(bytes).clear());
    return Optional.of(bytes);
  }

  private static boolean areNumbers(JsonElements values) {
    for (int k = 0; k < values.size(); k++) {
      if (values.kind(k) != JsonKind.NUMBER) {
        return false;
      }
    }
    return true;
  }

  private static JsonBytes base64(JsonElements numbers) {
    ByteBuffer bytes =
        ByteBuffer.allocate(numbers.size() * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int k = 0; k < numbers.size(); k++) {
      bytes.putFloat((float) numbers.number(k));
    }
    return JsonBytes.string(Base64.getEncoder().encodeToString(bytes.array()));
  }
}
