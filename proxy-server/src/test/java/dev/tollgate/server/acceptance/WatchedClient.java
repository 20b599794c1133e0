package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Client of a control plane that watches each secret it gives or is given, and keeps the replies
 * that must have none.
 */
final class WatchedClient {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Pattern LINK = Pattern.compile("/[a-z]+#([A-Za-z0-9_-]{43})");

  final WatchedSecrets secrets;
  final List<String> errors = new ArrayList<>();
  final List<String> readings = new ArrayList<>();
  @Nullable String cookie;
  @Nullable String bearer;
  private final int port;
  private final Path mailDirectory;
  private int calls;

  WatchedClient(WatchedSecrets secrets, int port, Path mailDirectory) {
    this.secrets = secrets;
    this.port = port;
    this.mailDirectory = mailDirectory;
  }

  /** Returns a new password that is watched. */
  String password(String name) {
    return secrets.watch(name, "canary " + name.replace("'", "") + " " + UUID.randomUUID());
  }

  RawResponse get(String path) {
    RawResponse response = call("GET", path, null);
    (response.status() < 400 ? readings : errors).add(response.rawText());
    return response;
  }

  RawResponse post(String path, String body) {
    return call("POST", path, body.isEmpty() ? null : body);
  }

  void refused(int status, String path, String body) {
    RawResponse response = post(path, body);
    assertThat(response.status()).as("%s: %s", path, response.text()).isEqualTo(status);
    errors.add(response.rawText());
  }

  static JsonNode reply(RawResponse response) {
    assertThat(response.status()).as(response.text()).isBetween(200, 299);
    return Json.tree(response.text());
  }

  /** Sends JSON, in which single quotes stand for double ones, from an address of its own. */
  RawResponse call(String method, String path, @Nullable String json, String... headerLines) {
    String body = json == null ? "" : json.replace('\'', '"');
    var head = new StringBuilder(method + " /api/v1" + path + " HTTP/1.1\r\nHost: localhost\r\n");
    head.append("X-Requested-With: test\r\nX-Forwarded-For: 10.0.0.").append(++calls);
    head.append("\r\nContent-Length: ").append(body.length()).append("\r\n");
    if (json != null) {
      head.append("Content-Type: application/json\r\n");
    }
    if (bearer != null) {
      head.append("Authorization: Bearer ").append(bearer).append("\r\n");
    } else if (cookie != null) {
      head.append("Cookie: tollgate_session=").append(cookie).append("\r\n");
    }
    List.of(headerLines).forEach(line -> head.append(line).append("\r\n"));
    try (RawClient client = RawClient.connect(port).within(SOON)) {
      RawResponse response = client.send(head + "\r\n" + body).readResponse();
      String set = response.header("set-cookie");
      if (set != null && set.startsWith("tollgate_session=")) {
        String value = set.substring(set.indexOf('=') + 1, set.indexOf(';'));
        cookie = value.isEmpty() ? null : secrets.watch("cookie " + calls, value);
      }
      return response;
    }
  }

  /** Waits for the mail of a kind to an address; returns the secret of its link. */
  String link(String name, String kind, String address) throws Exception {
    long begunNanos = System.nanoTime();
    while (true) {
      Optional<String> found =
          mails().stream()
              .filter(each -> each.toString().contains(kind))
              .map(WatchedClient::text)
              .filter(each -> each.contains("To: " + address) && LINK.matcher(each).find())
              .findFirst();
      if (found.isPresent()) {
        return watchLink(name, found.get());
      }
      assertThat(System.nanoTime() - begunNanos).as(kind).isLessThan(SOON.toNanos());
    }
  }

  String watchLink(String name, String text) {
    Matcher link = LINK.matcher(text);
    assertThat(link.find()).as(name).isTrue();
    return secrets.watch(name, link.group(1));
  }

  List<Path> mails() throws IOException {
    if (!Files.isDirectory(mailDirectory)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(mailDirectory)) {
      return all.toList();
    }
  }

  /** A file that is being deleted is empty. */
  static String text(Path file) {
    try {
      return Files.readString(file, ISO_8859_1);
    } catch (IOException gone) {
      return "";
    }
  }
}
