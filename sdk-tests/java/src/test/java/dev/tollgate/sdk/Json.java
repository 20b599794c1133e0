package dev.tollgate.sdk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;

/** JSON of arguments, answers and recordings. */
final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  static JsonNode tree(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String text(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Client.Answer answer(String text) {
    JsonNode tree = tree(text);
    return new Client.Answer(tree.path("city").textValue(), tree.path("celsius").doubleValue());
  }

  /** Returns what the tool says to a call with these arguments. */
  static String weather(String arguments) {
    return "sunny in " + tree(arguments).path("city").textValue();
  }
}
