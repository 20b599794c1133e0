package dev.tollgate.sdk;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A client under test as the flows use it: every method returns the same for all of them. */
interface Client extends AutoCloseable {
  String TOOL = "weather";
  String TOOL_DESCRIPTION = "Tells the weather of a city.";
  Map<String, Object> TOOL_SCHEMA =
      Map.of(
          "type", "object",
          "properties", Map.of("city", Map.of("type", "string")),
          "required", List.of("city"));
  Map<String, Object> ANSWER_SCHEMA =
      Map.of(
          "type",
          "object",
          "properties",
          Map.of("city", Map.of("type", "string"), "celsius", Map.of("type", "number")),
          "required",
          List.of("city", "celsius"),
          "additionalProperties",
          false);
  String WEATHER_OF_ALL =
      "Ulm: sunny in Ulm, Bonn: sunny in Bonn, Rome: sunny in Rome, Oslo: sunny in Oslo,"
          + " Kyiv: sunny in Kyiv, Bern: sunny in Bern";
  int ROUNDS_MAX = 5;
  String PNG =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  /** The kinds of clients, each with the vendor in its models' names. */
  List<Kind> KINDS =
      List.of(
          new Kind("chat", OpenAiChat::new),
          new Kind("responses", OpenAiResponses::new),
          new Kind("langchain4j", LangChain4j::new),
          new Kind("spring", SpringAi::new),
          new Kind("azure", AzureOpenAi::new));

  /** Makes a client for a gateway, which repeats a request so often. */
  interface Maker {
    Client of(Gateway gateway, int retriesMax);
  }

  /** A kind of client, and how one is made. */
  record Kind(String name, Maker maker) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** A whole answer that was streamed; the finish is empty where none came. */
  record Streamed(String text, long tokens, String finish) {}

  /** What is asked for by a schema. */
  record Answer(String city, double celsius) {}

  /** Returns the text of a plain answer. */
  String ask(String model, String words);

  Streamed stream(String model, String words);

  /** Answers calls of the tool until there are none, and returns the last text. */
  String rounds(String model, String words, boolean isStreamed);

  /** Asks for an {@link Answer} by a strict schema. */
  Answer schema(String model, String words);

  /** Returns the text of a plain answer about {@link #PNG}. */
  String picture(String model, String words);

  /** Reads a stream to its end, its error, or until a text is not wanted; then it is cancelled. */
  void read(String model, String words, Predicate<String> isNextWanted);

  /** Returns the class that the client throws for a status, and its text, with the error's code. */
  Class<? extends Throwable> thrownFor(int status);

  default String textOf(Throwable refusal) {
    return String.valueOf(refusal.getMessage());
  }

  @Override
  default void close() {}
}
