package dev.tollgate.server.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.ScriptedConnection;
import dev.tollgate.core.testkit.ScriptedUpstream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Provider over sockets whose models follow scripts of the tests, request by request. */
final class ScriptedModels implements AutoCloseable {
  private final ScriptedUpstream upstream;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();

  /** Script of a model for one request, on the thread of its connection. */
  @FunctionalInterface
  interface Answer {
    void to(JsonNode request, ScriptedConnection connection) throws Exception;
  }

  ScriptedModels() {
    upstream =
        ScriptedUpstream.start()
            .onConnection(
                connection -> {
                  while (true) {
                    connection.expectRequest();
                    answer(connection);
                  }
                });
  }

  private void answer(ScriptedConnection connection) throws Exception {
    JsonNode request = Json.tree(connection.request().text());
    String model = request.path("model").asText();
    Answer answer = answers.get(model);
    if (answer == null) {
      throw new AssertionError("no script for model " + model);
    }
    answer.to(request, connection);
  }

  /** Sets the script of a model. */
  ScriptedModels model(String name, Answer answer) {
    answers.put(name, answer);
    return this;
  }

  String baseUrl() {
    return upstream.baseUrl();
  }

  /** Releases scripts that wait at the gate of this name. */
  void open(String gate) {
    upstream.open(gate);
  }

  int requests() {
    return upstream.requests().size();
  }

  @Override
  public void close() {
    upstream.close();
  }
}
