package dev.tollgate.server.acceptance;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.openai.core.ObjectMappers;

/** JSON as trees, for assertions. */
final class Json {
  /** Of any length: tests have strings of 32 MiB. */
  private static final ObjectMapper MAPPER =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
              .build());

  private Json() {}

  /** Returns the JSON from which an SDK object was read, with members unknown to the SDK. */
  static JsonNode of(Object sdkObject) {
    return ObjectMappers.jsonMapper().valueToTree(sdkObject);
  }

  static JsonNode tree(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new AssertionError("not JSON: " + json, e);
    }
  }

  /** Returns a text as it is written between the quotes of a JSON string. */
  static String escaped(String text) {
    return new String(JsonStringEncoder.getInstance().quoteAsString(text));
  }
}
