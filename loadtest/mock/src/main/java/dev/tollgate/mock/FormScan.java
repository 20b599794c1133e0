package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.core.http.multipart.FormPart;
import dev.tollgate.core.http.multipart.MultipartBoundary;
import dev.tollgate.core.http.multipart.MultipartReader;
import dev.tollgate.mock.MockRequest.Audio;
import dev.tollgate.mock.MockRequest.Operation;
import dev.tollgate.mock.MockRequest.Pictures;
import dev.tollgate.mock.MockRequest.Vectors;
import dev.tollgate.mock.demo.DemoAnswer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parses a {@link MockRequest} from the fields of a multipart form. */
final class FormScan {
  private static final int FIELD_BYTES_MAX = 4_096;

  private FormScan() {}

  /**
   * Returns the request in the first {@code length} bytes, or null if they are not a form with a
   * model.
   *
   * @param host value of the request's Host field
   */
  static @Nullable MockRequest scan(
      Operation operation, byte[] body, int length, String host, boolean keepAlive) {
    int lineEnd = 2;
    while (lineEnd < length && body[lineEnd] != '\r' && lineEnd < 80) {
      lineEnd++;
    }
    String boundary = new String(body, Math.min(2, length), Math.max(0, lineEnd - 2), ISO_8859_1);
    if (boundary.isEmpty()) {
      return null;
    }
    var reader = new MultipartReader(new MultipartBoundary(boundary));
    reader.read(body, length);
    Map<String, String> fields = new HashMap<>();
    int fileBytes = 0;
    for (FormPart part : reader.parts()) {
      if (part.isFile()) {
        fileBytes += part.sizeBytes();
      } else if (part.sizeBytes() <= FIELD_BYTES_MAX) {
        fields.put(part.name(), new String(body, part.from(), part.sizeBytes(), ISO_8859_1));
      }
    }
    if (!fields.containsKey("model") || !reader.isComplete() || fileBytes == 0) {
      return null;
    }
    return operation == Operation.IMAGE
        ? pictures(fields, length, host, keepAlive)
        : audio(fields, fileBytes, keepAlive);
  }

  private static MockRequest audio(Map<String, String> fields, int fileBytes, boolean keepAlive) {
    var audio =
        new Audio(fields.getOrDefault("response_format", "json"), AudioSamples.seconds(fileBytes));
    String model = fields.getOrDefault("model", "");
    return new MockRequest(
        Operation.TRANSCRIPTION,
        model,
        "true".equals(fields.get("stream")),
        false,
        -1,
        null,
        false,
        (int) Math.ceil(audio.seconds() * 10),
        Vectors.NONE,
        audio,
        Pictures.NONE,
        MockModel.isDemo(model) ? DemoAnswer.toRecording(audio.seconds()) : null,
        keepAlive);
  }

  private static MockRequest pictures(
      Map<String, String> fields, int length, String host, boolean keepAlive) {
    String n = fields.getOrDefault("n", "1");
    int count = n.matches("\\d{1,2}") ? Integer.parseInt(n) : 1;
    String format = fields.getOrDefault("response_format", "");
    return new MockRequest(
        Operation.IMAGE,
        fields.getOrDefault("model", ""),
        false,
        false,
        -1,
        null,
        false,
        MockRequest.promptTokens(length),
        Vectors.NONE,
        Audio.NONE,
        Pictures.of(count, fields.getOrDefault("size", Pictures.SIZE_USUAL), format, host),
        null,
        keepAlive);
  }
}
