package dev.tollgate.server.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * Client of the control plane's API at any node, which keeps the session cookie as a browser does.
 * Safe on any thread.
 */
final class ControlClient {
  static final String PASSWORD = "correct horse 9 battery";

  private static final String COOKIE = "tollgate_session=";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(PATIENCE).build();

  private volatile String cookie = "";

  /** Reply to a call; its JSON is missing if it has no content. */
  record Reply(int status, JsonNode json, boolean isReplayed, long tookMillis) {
    /** Returns the status, and of a refusal its code and reason. */
    String outcome() {
      JsonNode error = json.path("error");
      String code = error.path("code").asText() + " " + error.at("/details/reason").asText();
      return (status + " " + code.strip()).strip();
    }
  }

  /** Returns another client with the session of this one. */
  ControlClient copy() {
    var copy = new ControlClient();
    copy.cookie = cookie;
    return copy;
  }

  Reply get(URI node, String path) throws IOException, InterruptedException {
    return call(node, "GET", path, "");
  }

  Reply post(URI node, String path, String json, String... headers)
      throws IOException, InterruptedException {
    return call(node, "POST", path, json, headers);
  }

  Reply patch(URI node, String path, String json, String... headers)
      throws IOException, InterruptedException {
    return call(node, "PATCH", path, json, headers);
  }

  /**
   * Makes a call as the dashboard does.
   *
   * @param node address of the node's dashboard
   * @param path behind {@code /api/v1}
   * @param json in which single quotes stand for double ones; empty: no body
   */
  Reply call(URI node, String method, String path, String json, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(node.resolve("/api/v1" + path))
            .timeout(PATIENCE)
            .header("X-Requested-With", "test");
    String session = cookie;
    if (!session.isEmpty()) {
      request.header("Cookie", COOKIE + session);
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    if (json.isEmpty()) {
      request.method(method, BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", "application/json")
          .method(method, BodyPublishers.ofString(json.replace('\'', '"')));
    }
    long sentNanos = System.nanoTime();
    HttpResponse<String> reply = HTTP.send(request.build(), BodyHandlers.ofString());
    long tookMillis = Duration.ofNanos(System.nanoTime() - sentNanos).toMillis();
    reply.headers().firstValue("set-cookie").ifPresent(this::keep);
    boolean isReplayed = reply.headers().firstValue("idempotent-replayed").isPresent();
    return new Reply(reply.statusCode(), Json.tree(reply.body()), isReplayed, tookMillis);
  }

  private void keep(String set) {
    if (set.startsWith(COOKIE)) {
      cookie = set.substring(COOKIE.length(), set.indexOf(';'));
    }
  }

  /** Makes a POST and closes the connection without reading the reply. */
  void postAndLeave(URI node, String path, String json, String header) {
    String body = json.replace('\'', '"');
    String[] headers = {"X-Requested-With: test", "Cookie: " + COOKIE + cookie, header};
    try (RawClient client = RawClient.connect(node.getPort())) {
      client.post("/api/v1" + path, body, headers);
    }
  }

  /** Creates the first account with the link of a node, and is signed in if that succeeds. */
  Reply setUp(URI node, String link, String email) throws IOException, InterruptedException {
    return post(
        node,
        "/setup",
        "{'token':'%s','email':'%s','password':'%s','name':'Ann'}"
            .formatted(secret(link), email, PASSWORD));
  }

  /** Joins by the link of an invitation, as a new person, who is signed in then. */
  Reply join(URI node, String link) throws IOException, InterruptedException {
    return post(
        node,
        "/auth/invitations/accept",
        "{'token':'%s','name':'Bob','password':'%s'}".formatted(secret(link), PASSWORD));
  }

  /** Returns the secret behind a link's number sign. */
  private static String secret(String link) {
    return link.substring(link.indexOf('#') + 1);
  }
}
