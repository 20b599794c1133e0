package dev.tollgate.server.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.explorer.RequestRow.Flags;
import dev.tollgate.server.explorer.RequestRow.Timing;
import dev.tollgate.server.explorer.RequestRow.Tokens;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Whatever a line of the request log says, the database makes the row that is written down here.
 */
class RequestRowIT {
  private static final int LINES = 3_000;
  private static final LocalDate DAY = LocalDate.of(2026, 11, 27);
  private static final OrgId ORG = new OrgId(new UUID(1, 2));
  private static final KeyId KEY = new KeyId("key00001");
  private static final Instant WRITTEN = Instant.parse("2026-11-27T09:10:11.123456Z");
  private static final long LATEST_MILLIS = (1L << 48) - 1;

  private static final List<Member<String>> TEXTS =
      List.of(
          Member.absent(null),
          new Member<>("null", null),
          new Member<>("\"a\"", "a"),
          new Member<>("\"b\"", "b"),
          new Member<>("\"\"", ""),
          new Member<>("\"\\u00e9\\\"\\ud83d\\ude00\"", "é\"😀"),
          new Member<>("5", "5"),
          new Member<>("[1, {}]", "[1, {}]"));

  private static final List<Member<Long>> AMOUNTS =
      List.of(
          Member.absent(0L),
          new Member<>("null", 0L),
          new Member<>("0", 0L),
          new Member<>("7", 7L),
          new Member<>("8e2", 800L),
          new Member<>("1.9", 1L),
          new Member<>("\"12\"", 12L),
          new Member<>("1000000000000000", 1_000_000_000_000_000L),
          new Member<>("1000000000000001", 0L),
          new Member<>("9223372036854775808", 0L),
          new Member<>("1e300", 0L),
          new Member<>("-3", 0L));

  private static final List<Member<Integer>> STATUSES =
      List.of(
          Member.absent(null),
          new Member<>("null", null),
          new Member<>("200", 200),
          new Member<>("200.9", 200),
          new Member<>("99999", 999),
          new Member<>("-1", 0));

  /** Durations with their milliseconds. */
  private static final List<Member<Integer>> MILLIS =
      List.of(
          Member.absent(null),
          new Member<>("null", null),
          new Member<>("0", 0),
          new Member<>("1200.400", 1_200),
          new Member<>("0.4999", 0),
          new Member<>("0.49999999999999994", 0),
          new Member<>("0.5", 1),
          new Member<>("2.5", 3),
          new Member<>("-5.5", 0),
          new Member<>("2147483646.4", Integer.MAX_VALUE - 1),
          new Member<>("2147483646.5", Integer.MAX_VALUE),
          new Member<>("2147483647.5", Integer.MAX_VALUE),
          new Member<>("1e300", Integer.MAX_VALUE));

  /** Durations with their microseconds. */
  private static final List<Member<Integer>> MICROS =
      List.of(
          Member.absent(null),
          new Member<>("0.250", 250),
          new Member<>("0.0004", 0),
          new Member<>("0.0005", 1),
          new Member<>("-0.001", 0),
          new Member<>("2147483.646", Integer.MAX_VALUE - 1),
          new Member<>("2147483.647", Integer.MAX_VALUE),
          new Member<>("2147483.648", Integer.MAX_VALUE),
          new Member<>("1e300", Integer.MAX_VALUE),
          new Member<>("1e306", Integer.MAX_VALUE),
          new Member<>("-1e306", 0));

  private static final List<Member<Boolean>> FLAGS =
      List.of(
          Member.absent(null),
          new Member<>("null", null),
          new Member<>("true", true),
          new Member<>("false", false));

  /** What is no object, or cannot be stored, or has a member of another type. */
  private static final List<String> NOT_AS_WRITTEN =
      List.of(
          "",
          " ",
          "x",
          "3",
          "null",
          "\"a\"",
          "[]",
          "[{\"model\":\"m\"}]",
          "{\"model\": ",
          "{\"model\":\"m\"} x",
          "{\"model\":\"m\",}",
          "{\"model\":\"\\u0000\"}",
          "{\"model\":\"\\ud800\"}",
          "{\"model\":\"m\",\"total_ms\":1e400}",
          "{\"model\":\"m\",\"total_ms\":1e-400}",
          "{\"model\":\"m\",\"total_ms\":[5]}",
          "{\"model\":\"m\",\"status\":true}",
          "{\"model\":\"m\",\"cost_micro\":\"x\"}",
          "{\"model\":\"m\",\"cost_micro\":{}}",
          "{\"model\":\"m\",\"stream\":\"maybe\"}",
          "{\"model\":\"m\",\"attempts\":[{\"ms\":1e999999}]}",
          "{\"model\":\"m\",\"x\":" + "[".repeat(200_000),
          "{\"model\":\"m\",\"x\":" + "[".repeat(200_000) + "]".repeat(200_000) + "}");

  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private final Random random = new Random(28);

  /**
   * Member of a line.
   *
   * @param json its text; null if the line lacks it
   * @param value what the row has of it
   */
  private record Member<T>(@Nullable String json, @Nullable T value) {
    static <T> Member<T> absent(@Nullable T value) {
      return new Member<>(null, value);
    }
  }

  /** Line of a request, and the row that is made of it. */
  private record Line(String id, String text, @Nullable Long charged, RequestRow row) {}

  @Test
  void everyMemberIsTakenAsItShould() throws Exception {
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < LINES; i++) {
      lines.add(line());
    }
    List<RequestRow> rows = rows(lines);
    for (int i = 0; i < LINES; i++) {
      assertThat(rows.get(i)).as(lines.get(i).text()).isEqualTo(lines.get(i).row());
    }
  }

  @Test
  void ofALineThatIsNotAsWrittenNothingIsKnown() throws Exception {
    List<Line> lines = new ArrayList<>();
    for (String text : NOT_AS_WRITTEN) {
      lines.add(new Line("x", text, null, nothing()));
    }
    assertThat(rows(lines)).containsOnly(nothing());
  }

  private static RequestRow nothing() {
    return new RequestRow(
        DAY,
        "x",
        ORG,
        KEY,
        WRITTEN,
        null,
        null,
        null,
        null,
        "unknown",
        null,
        null,
        new Flags(null, null, false, false, false),
        0,
        Timing.NONE,
        Tokens.NONE,
        0,
        0);
  }

  // Random lines

  private Line line() {
    List<String> members = new ArrayList<>();
    String id = id();
    String provider = one(members, "provider", TEXTS);
    String outcome = one(members, "outcome", TEXTS);
    long cost = amount(members, "cost_micro");
    Member<Long> operator = AMOUNTS.get(random.nextInt(AMOUNTS.size()));
    add(members, "operator_cost_micro", operator);
    Long operatorCost =
        operator.json() == null || operator.json().equals("null")
            ? Long.valueOf(cost)
            : operator.value();
    Long charged = random.nextBoolean() ? null : Long.valueOf(random.nextInt(3));
    long its = charged == null ? cost : charged;
    var attempts = new Attempts(members, provider);
    var row =
        new RequestRow(
            DAY,
            id,
            ORG,
            KEY,
            RequestViewRows.isId(id)
                ? Instant.ofEpochMilli(new RequestId(id).epochMillis())
                : WRITTEN,
            one(members, "route", TEXTS),
            one(members, "model", TEXTS),
            provider,
            one(members, "status", STATUSES),
            outcome == null ? OutcomeClass.UNKNOWN : outcome,
            one(members, "code", TEXTS),
            one(members, "client_ip", TEXTS),
            new Flags(
                one(members, "stream", FLAGS),
                one(members, "estimated", FLAGS),
                attempts.fallback,
                attempts.resumed,
                attempts.hedged),
            attempts.count,
            new Timing(
                one(members, "total_ms", MILLIS),
                one(members, "ttft_ms", MILLIS),
                one(members, "overhead_ms", MICROS),
                one(members, "upstream_ms", MILLIS)),
            new Tokens(
                amount(members, "prompt_tokens"),
                amount(members, "completion_tokens"),
                amount(members, "cached_tokens"),
                amount(members, "reasoning_tokens")),
            its,
            operatorCost == null || operatorCost == cost ? its : operatorCost);
    members.add("\"x\":{\"model\":\"no\",\"attempts\":[{\"resume\":\"no\"}]}");
    Collections.shuffle(members, random);
    if (row.model() != null) {
      members.addFirst("\"model\":\"the last one counts\"");
    }
    return new Line(id, "{" + String.join(" ,", members) + "}", charged, row);
  }

  private String id() {
    return switch (random.nextInt(6)) {
      case 0 -> RequestId.at(0).value();
      case 1 -> RequestId.at(LATEST_MILLIS).value();
      case 2 -> RequestId.at(random.nextLong(LATEST_MILLIS)).value();
      case 3 -> List.of("", "x", "req_", "req_é").get(random.nextInt(4));
      case 4 -> "req_8" + RequestId.at(0).value().substring(5);
      default -> RequestId.at(WRITTEN.toEpochMilli()).value();
    };
  }

  private long amount(List<String> members, String name) {
    Long value = one(members, name, AMOUNTS);
    return value == null ? 0 : value;
  }

  private <T> @Nullable T one(List<String> members, String name, List<Member<T>> of) {
    Member<T> member = of.get(random.nextInt(of.size()));
    add(members, name, member);
    return member.value();
  }

  private static void add(List<String> members, String name, Member<?> member) {
    if (member.json() != null) {
      members.add("\"" + name + "\": " + member.json());
    }
  }

  /** Random attempts of a line. */
  private final class Attempts {
    private int count;
    private boolean fallback;
    private boolean resumed;
    private boolean hedged;

    Attempts(List<String> members, @Nullable String served) {
      if (random.nextInt(5) == 0) {
        add(
            members,
            "attempts",
            new Member<>(List.of("{}", "3", "\"x\"").get(random.nextInt(3)), 0));
        return;
      }
      List<String> all = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        all.add(attempt(served));
      }
      count = all.size();
      if (count > 0 || random.nextBoolean()) {
        members.add("\"attempts\":[" + String.join(",", all) + "]");
      }
    }

    private String attempt(@Nullable String served) {
      String provider = List.of("a", "b", "").get(random.nextInt(3));
      String outcome = List.of("ok", "cancelled", "").get(random.nextInt(3));
      String resume = List.of("", "", "x").get(random.nextInt(3));
      boolean isLost = outcome.equals("cancelled");
      fallback |= served != null && !provider.equals(served) && !isLost;
      resumed |= !resume.isEmpty();
      hedged |= isLost;
      return "{\"provider\":\"%s\",\"outcome\":\"%s\"%s,\"ms\":1}"
          .formatted(provider, outcome, resume.isEmpty() ? "" : ",\"resume\":\"x\"");
    }
  }

  // The database

  private static List<RequestRow> rows(List<Line> lines) throws SQLException {
    try (Connection connection = testStore.store().pool().getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT ?::date AS day, l.id AS request_id, ?::uuid AS org_id, ? AS key_id, r.*"
                    + " FROM unnest(?::text[], ?::text[], ?::bigint[]) WITH ORDINALITY"
                    + " AS l (id, text, charged, n),"
                    + " request_row(l.id, request_line(l.text), ?, l.charged) r ORDER BY l.n")) {
      select.setObject(1, DAY);
      select.setObject(2, ORG.value());
      select.setString(3, KEY.value());
      select.setArray(4, connection.createArrayOf("text", lines.stream().map(Line::id).toArray()));
      select.setArray(
          5, connection.createArrayOf("text", lines.stream().map(Line::text).toArray()));
      select.setArray(
          6, connection.createArrayOf("bigint", lines.stream().map(Line::charged).toArray()));
      select.setObject(7, WRITTEN.atOffset(ZoneOffset.UTC));
      try (ResultSet row = select.executeQuery()) {
        List<RequestRow> rows = new ArrayList<>();
        while (row.next()) {
          rows.add(RequestViewRows.read(row));
        }
        return rows;
      }
    }
  }
}
