package dev.tollgate.sdk;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A running gateway: its address with version, and a key for it. */
record Gateway(String url, String key) {
  /** Ends broken streams without the last chunk, as by default. */
  static final Gateway ABORT = printed("TOLLGATE_ABORT");

  /** Ends broken streams as whole ones. */
  static final Gateway CLEAN = printed("TOLLGATE_CLEAN");

  private static final Duration PATIENCE = Duration.ofSeconds(8);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  Gateway withKey(String other) {
    return new Gateway(url, other);
  }

  /** Waits until the provider's endless stream that began with these words was left. */
  static void awaitLeft(String words) throws IOException, InterruptedException {
    String query = URLEncoder.encode(words, UTF_8).replace("+", "%20");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(setting("TOLLGATE_PROVIDER") + "/left?" + query))
            .timeout(PATIENCE)
            .build();
    HTTP.send(request, HttpResponse.BodyHandlers.discarding());
  }

  private static Gateway printed(String name) {
    try {
      String text = Files.readString(Path.of(setting(name)), UTF_8);
      return new Gateway(found("http://\\S+/v1", text), found("sk-llm-[A-Za-z0-9]+", text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String found(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    if (!matcher.find()) {
      throw new AssertionError("the gateway has not printed " + pattern + ": " + text);
    }
    return matcher.group();
  }

  private static String setting(String name) {
    String value = System.getenv(name);
    if (value == null) {
      throw new AssertionError(name + " is not set: start these tests by sdk-tests/java/run");
    }
    return value;
  }
}
