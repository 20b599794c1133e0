package dev.tollgate.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** The usual flows of a client. The words of its prompt select what the provider answers. */
enum Flow {
  PLAIN(
      (client, model, id) ->
          assertThat(client.ask(model, "words " + id)).isEqualTo("One two three four.")),
  STREAM(
      (client, model, id) ->
          assertThat(client.stream(model, "words " + id))
              .isEqualTo(new Client.Streamed("One two three four.", 29, "stop"))),
  ROUNDS(
      (client, model, id) ->
          assertThat(client.rounds(model, "rounds " + id, false)).isEqualTo(Client.WEATHER_OF_ALL)),
  ROUNDS_STREAMED(
      (client, model, id) ->
          assertThat(client.rounds(model, "rounds " + id, true)).isEqualTo(Client.WEATHER_OF_ALL)),
  SCHEMA(
      (client, model, id) ->
          assertThat(client.schema(model, "schema " + id)).isEqualTo(new Client.Answer("Ulm", 21))),
  PICTURE(
      (client, model, id) ->
          assertThat(client.picture(model, "picture " + id)).isEqualTo("a picture")),
  RATE_LIMIT_IS_WAITED_OUT(
      (client, model, id) ->
          assertThat(client.ask(model, "limited-once " + id)).isEqualTo("served")),
  FAILURE_IS_REPEATED(
      (client, model, id) ->
          assertThat(client.ask(model, "failing-twice " + id)).isEqualTo("served")),
  TOO_LONG(
      (client, model, id) -> isRefused(client, model, "too-long " + id, 400, "validation_failed")),
  LASTING_RATE_LIMIT(
      (client, model, id) ->
          isRefused(client, model, "limited " + id, 429, "provider_rate_limited")),
  LASTING_FAILURE(
      (client, model, id) ->
          isRefused(client, model, "failing " + id, 503, "provider_unavailable")),
  CUT(Flow::isAnErrorBehindItsText),
  CUT_WITHOUT_FINISH(Flow::isNoWholeAnswer),
  CANCELLED(Flow::endsAtTheProvider);

  /** What a flow does with a client and a model; its id makes its words its own. */
  interface Body {
    void run(Client client, String model, String id) throws Exception;
  }

  private static final int PIECES = 3;

  /** Enough for a client that does not regard how long a rate limit is. */
  private static final int RETRIES_MAX = 4;

  final Body body;

  Flow(Body body) {
    this.body = body;
  }

  /** A rate limit keeps the provider from other requests, so its flows have one of their own. */
  String vendorSuffix() {
    return this == RATE_LIMIT_IS_WAITED_OUT || this == LASTING_RATE_LIMIT ? "-limited" : "";
  }

  int retriesMax() {
    return this == LASTING_RATE_LIMIT || this == LASTING_FAILURE ? 0 : RETRIES_MAX;
  }

  static void isRefused(Client client, String model, String words, int status, String code) {
    Throwable refusal = catchThrowable(() -> client.ask(model, words));
    assertThat(refusal).isInstanceOf(client.thrownFor(status));
    assertThat(client.textOf(refusal)).contains(code);
  }

  private static void isAnErrorBehindItsText(Client client, String model, String id) {
    StringBuilder text = new StringBuilder();
    Throwable error =
        catchThrowable(
            () ->
                client.read(
                    model,
                    "cut-amid-content " + id,
                    piece -> {
                      text.append(piece);
                      return true;
                    }));
    // Java's own HTTP client may drop what it has not read when a connection ends.
    assertThat("Once").startsWith(text);
    assertThat(error).as("the short answer was taken for a whole one").isNotNull();
  }

  /** What the user of a client that passes over the error can go by: there is no finish. */
  private static void isNoWholeAnswer(Client client, String model, String id) {
    AtomicReference<String> finish = new AtomicReference<>("");
    Throwable error =
        catchThrowable(() -> finish.set(client.stream(model, "cut-amid-content " + id).finish()));
    assertThat(finish).as("after %s", error).hasValue("");
  }

  private static void endsAtTheProvider(Client client, String model, String id) throws Exception {
    String words = "endless " + id;
    AtomicInteger pieces = new AtomicInteger();
    client.read(model, words, _ -> pieces.incrementAndGet() < PIECES);
    assertThat(pieces).hasValueGreaterThanOrEqualTo(PIECES);
    Gateway.awaitLeft(words);
  }
}
