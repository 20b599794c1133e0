package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.cli.Verbs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What refused requests leave in the store, whether or not a limit ends them early. */
class RefusedRequestsIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int ROWS_MAX = 20;
  private static final int WITH_REVOKED_KEY = 1_200;
  private static final int INVALID = 200;
  private static final String REVOKED = "key_revoked";

  private final LedgerDatabase database = LedgerDatabase.of(SharedNode.node().home());

  @Test
  void aRevokedKeyLeavesNoRowAndOneCountAMinute() throws Exception {
    String key = key();
    keys("revoke", id(key));
    Map<String, Integer> codes =
        ask(
            WITH_REVOKED_KEY,
            ChatRequests.body("test/chat", false),
            ChatRequests.authorization(key));
    assertThat(codes).containsKey(REVOKED);
    assertThat(codes.keySet()).isSubsetOf(REVOKED, "rate_limited");

    awaitCounted(key, REVOKED, codes.get(REVOKED));
    assertThat(database.number(rows(key, ""))).isZero();
    assertThat(database.number(countsOf(key, "count(*)", REVOKED))).isBetween(1L, 10L);
    var listed = Json.tree(run("requests", "refusals", "--key", id(key), "--since", "10m"));
    long sum = 0;
    for (var each : listed) {
      sum += each.path("code").asText().equals(REVOKED) ? each.path("refusals").asLong() : 0;
    }
    assertThat(sum).isEqualTo(codes.get(REVOKED).longValue());
  }

  @Test
  void invalidBodiesOfAGoodKeyLeaveSomeRowsAMinuteAndACount() throws Exception {
    String key = key();
    Map<String, Integer> codes = ask(INVALID, "{", ChatRequests.authorization(key));
    assertThat(codes.keySet()).isSubsetOf("invalid_json", "rate_limited");

    String ofCode = " AND row::json ->> 'code' = 'invalid_json'";
    long refused = codes.get("invalid_json");
    long began = System.nanoTime();
    while (database.number(rows(key, ofCode))
            + database.number(countsOf(key, "coalesce(sum(refusals), 0)", "invalid_json"))
        < refused) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
    }
    List<Long> rowsOfMinutes = new ArrayList<>();
    database.query(
        "SELECT count(*) FROM request_log WHERE key_id = '"
            + id(key)
            + "' GROUP BY substr(row::json ->> 'ts', 1, 16), row::json ->> 'code'",
        row -> rowsOfMinutes.add(row.getLong(1)));
    assertThat(rowsOfMinutes).isNotEmpty().allMatch(rows -> rows <= ROWS_MAX);
    long rows = database.number(rows(key, ofCode));
    long counted = database.number(countsOf(key, "coalesce(sum(refusals), 0)", "invalid_json"));
    assertThat(rows + counted).isEqualTo(refused);
    assertThat(counted).isGreaterThan(0);
  }

  /** Sends requests one after the other, and counts the replies by their codes. */
  private static Map<String, Integer> ask(int requests, String body, String authorization) {
    Map<String, Integer> codes = new HashMap<>();
    RawClient client = SharedNode.node().connect();
    try {
      for (int i = 0; i < requests; i++) {
        RawResponse reply = client.post(ChatRequests.PATH, body, authorization).readResponse();
        codes.merge(ChatRequests.code(reply), 1, Integer::sum);
        if ("close".equals(reply.header("connection"))) {
          client.close();
          client = SharedNode.node().connect();
        }
      }
    } finally {
      client.close();
    }
    return codes;
  }

  private void awaitCounted(String key, String code, long refusals) throws Exception {
    long began = System.nanoTime();
    while (database.number(countsOf(key, "coalesce(sum(refusals), 0)", code)) < refusals) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
    }
    assertThat(database.number(countsOf(key, "sum(refusals)", code))).isEqualTo(refusals);
  }

  private static String countsOf(String key, String what, String code) {
    return "SELECT %s FROM refusal_count WHERE key_id = '%s' AND code = '%s'"
        .formatted(what, id(key), code);
  }

  private static String rows(String key, String condition) {
    return "SELECT count(*) FROM request_log WHERE key_id = '" + id(key) + "'" + condition;
  }

  private static String id(String key) {
    return key.substring("sk-llm-".length(), "sk-llm-".length() + 8);
  }

  private static String key() {
    String printed = keys("create", "--org", "acceptance", "--name", "refused");
    return Json.tree(printed).path("key").asText();
  }

  private static String keys(String... arguments) {
    List<String> all = new ArrayList<>(List.of("keys"));
    all.addAll(List.of(arguments));
    return run(all.toArray(String[]::new));
  }

  private static String run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("-o", "json", "--config", SharedNode.node().home().config().toString()));
    Verbs.CommandResult result = Verbs.run(all.toArray(String[]::new));
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result.out();
  }
}
