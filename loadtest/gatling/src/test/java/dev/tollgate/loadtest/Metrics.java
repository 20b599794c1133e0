package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.bodyString;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.CheckBuilder;
import io.gatling.javaapi.http.HttpRequestActionBuilder;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Check of a gateway's metrics, as a request that fails when they are wrong. */
final class Metrics {
  private Metrics() {}

  /** Returns the check of the sum of these series, or nothing if the admin listener is unknown. */
  static ChainBuilder look(
      String name,
      Optional<String> adminUrl,
      String series,
      Function<CheckBuilder.Validate<Double>, CheckBuilder> goal) {
    return adminUrl
        .map(url -> exec(request(name, url, series, goal)))
        .orElseGet(() -> exec(session -> session));
  }

  private static HttpRequestActionBuilder request(
      String name,
      String url,
      String series,
      Function<CheckBuilder.Validate<Double>, CheckBuilder> goal) {
    return http(name)
        .get(url + "/metrics")
        .check(status().is(200))
        .check(goal.apply(bodyString().transform(text -> sum(text, series))));
  }

  /** Returns the sum of all series, at least one, whose name and labels match the expression. */
  static double sum(String text, String series) {
    Pattern line = Pattern.compile(series + " \\S+");
    List<String> found = text.lines().filter(line.asMatchPredicate()).toList();
    if (found.isEmpty()) {
      throw new IllegalArgumentException("there is no series " + series);
    }
    return found.stream()
        .mapToDouble(one -> Double.parseDouble(one.substring(one.lastIndexOf(' ') + 1)))
        .sum();
  }
}
