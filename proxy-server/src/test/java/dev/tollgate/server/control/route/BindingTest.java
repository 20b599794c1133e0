package dev.tollgate.server.control.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.Role;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records from bodies and queries. */
final class BindingTest {
  /** Every type of a member. */
  record Everything(
      String name,
      Secret password,
      long dailyBudgetMicro,
      int requestsPerSecond,
      boolean force,
      Role role,
      Instant expiresAt,
      UUID id,
      OrgId org,
      KeyId key,
      List<String> allowedModels,
      Inner inner,
      @Nullable String note) {}

  /** A record in a record. */
  record Inner(long amountMicro, @Nullable Integer count) {}

  /** Members that may be left out. */
  record Change(
      Patch<String> name, Patch<@Nullable Long> dailyBudgetMicro, Patch<List<String>> ips) {}

  /** Filters and a page. */
  record Filters(
      List<String> key, @Nullable Role role, @Nullable Long minCostMicro, PageRequest page) {}

  private static final RouteSpec EVERYTHING =
      RouteDraft.post("T", "/t").body(Everything.class).build("EVERYTHING");
  private static final RouteSpec CHANGE =
      RouteDraft.patch("T", "/t").body(Change.class).build("CHANGE");
  private static final RouteSpec NONE = RouteDraft.post("T", "/t").build("NONE");
  private static final RouteSpec LIST =
      RouteDraft.get("T", "/t").query(Filters.class).build("LIST");

  private static @Nullable Record bind(RouteSpec route, String json) {
    JsonNode parsed = Binding.parse(route, json.getBytes(StandardCharsets.UTF_8));
    return Binding.body(route, parsed);
  }

  private static List<String> problems(RouteSpec route, String json) {
    Refused refused = catchThrowableOfType(Refused.class, () -> bind(route, json));
    return issues(refused);
  }

  @SuppressWarnings("unchecked")
  private static List<String> issues(Refused refused) {
    var issues = (List<Map<String, Object>>) refused.fault().details().get("issues");
    return Objects.requireNonNull(issues).stream()
        .map(each -> each.get("param") + " " + each.get("message"))
        .toList();
  }

  @Test
  void everyTypeIsRead() {
    UUID id = UUID.randomUUID();
    String json =
        """
        {"name":"é","password":"secret","daily_budget_micro":9007199254740991,
         "requests_per_second":3,"force":true,"role":"developer",
         "expires_at":"2026-12-01T10:00:00+01:00","id":"%s","org":"%s","key":"abcd1234",
         "allowed_models":["a/b"],"inner":{"amount_micro":-5}}"""
            .formatted(id, id);
    assertThat(bind(EVERYTHING, json))
        .isEqualTo(
            new Everything(
                "é",
                new Secret("secret"),
                9_007_199_254_740_991L,
                3,
                true,
                Role.DEVELOPER,
                Instant.parse("2026-12-01T09:00:00Z"),
                id,
                new OrgId(id),
                new KeyId("abcd1234"),
                List.of("a/b"),
                new Inner(-5, null),
                null));
  }

  @Test
  void allProblemsAreFoundWithTheirPaths() {
    String json =
        """
        {"name":1,"password":"a\\u0000b","daily_budget_micro":-1,"requests_per_second":4294967296,
         "force":"yes","role":"king","expires_at":"tomorrow","id":"1-1-1-1-1","org":null,
         "allowed_models":["a",null,3],"inner":{"amount_micro":9007199254740992,"other":1},
         "nam":2}""";
    assertThat(problems(EVERYTHING, json))
        .containsExactlyInAnyOrder(
            "name must be a text",
            "password must not contain U+0000",
            "daily_budget_micro must not be negative",
            "requests_per_second must be from -2147483647 to 2147483647",
            "force must be true or false",
            "role must be one of viewer, developer, billing, admin, owner",
            "expires_at must be a time such as 2026-01-31T09:30:00Z",
            "id must be a UUID",
            "org must not be null",
            "key is missing",
            "allowed_models[1] must not be null",
            "allowed_models[2] must be a text",
            "inner.amount_micro must be from -9007199254740991 to 9007199254740991",
            "inner.other is unknown",
            "nam is unknown");
    assertThat(problems(EVERYTHING, "[]")).containsExactly("null must be an object");
  }

  @Test
  void absentAndNullDifferInAChange() {
    assertThat(bind(CHANGE, "{}")).isEqualTo(new Change(Patch.keep(), Patch.keep(), Patch.keep()));
    assertThat(bind(CHANGE, "{\"daily_budget_micro\":null,\"ips\":[]}"))
        .isEqualTo(new Change(Patch.keep(), cleared(), Patch.set(List.of())));
    assertThat(problems(CHANGE, "{\"name\":null,\"daily_budget_micro\":-1}"))
        .containsExactly("name must not be null", "daily_budget_micro must not be negative");
  }

  @SuppressWarnings("NullAway") // null is a value of this patch
  private static Patch<@Nullable Long> cleared() {
    return Patch.set(null);
  }

  @Test
  void aCallWithoutABodyTakesNoMembers() {
    assertThat(bind(NONE, "")).isNull();
    assertThat(bind(NONE, "{}")).isNull();
    assertThat(problems(NONE, "{\"a\":1}")).containsExactly("a is unknown");
  }

  @Test
  void queriesAreBoundToo() {
    var bound = (Filters) Binding.query(LIST, "key=a&key=b%20c&role=owner&min_cost_micro=5");
    assertThat(bound).isNotNull();
    assertThat(bound.key()).containsExactly("a", "b c");
    assertThat(bound.role()).isEqualTo(Role.OWNER);
    assertThat(bound.minCostMicro()).isEqualTo(5);
    assertThat(bound.page().limit()).isEqualTo(50);
    assertThat(bound.page().position()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "keys=a | keys is unknown",
        "role=king | role must be one of viewer, developer, billing, admin, owner",
        "role=owner&role=admin | role must not be repeated",
        "min_cost_micro=1.5 | min_cost_micro must be an integer",
        "limit=0 | limit must be from 1 to 200",
        "limit=201 | limit must be from 1 to 200",
        "cursor=AAAA | cursor is not a cursor of this list with these filters",
        "key=%zz | query is not a valid query string",
      })
  void problemsOfAQueryNameTheParameter(String query, String problem) {
    Refused refused = catchThrowableOfType(Refused.class, () -> Binding.query(LIST, query));
    assertThat(issues(refused)).containsExactly(problem);
  }

  @Test
  void aCursorBelongsToItsListAndFilters() {
    PageRequest first = page("key=b&key=a");
    String cursor = first.next("2026-11-26 req_1");
    assertThat(page("key=b&key=a&limit=7&cursor=" + cursor).position())
        .isEqualTo("2026-11-26 req_1");
    for (String other : List.of("key=a", "key=b&key=a&role=owner", "")) {
      String query = other + "&cursor=" + cursor;
      Refused refused = catchThrowableOfType(Refused.class, () -> page(query));
      assertThat(refused.fault().param()).isEqualTo("cursor");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 12, 20, 30})
  void aDamagedCursorIsRefused(int at) {
    StringBuilder cursor = new StringBuilder(page("").next("2026-11-26 req_1"));
    cursor.setCharAt(at, cursor.charAt(at) == 'A' ? 'B' : 'A');
    Refused refused = catchThrowableOfType(Refused.class, () -> page("cursor=" + cursor));
    assertThat(refused.fault().param()).isEqualTo("cursor");
  }

  private static PageRequest page(String query) {
    Filters bound = (Filters) Binding.query(LIST, query);
    assertThat(bound).isNotNull();
    return bound.page();
  }
}
