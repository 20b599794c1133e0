package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.limit.RefusalBudgets;
import dev.tollgate.core.pipeline.ScriptedService.Call;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Refusal budgets as clients meet them: on the head, and given back or not at each way out. */
final class RefusalBudgetOnTheHeadTest {
  /** A key with 10 requests per second: its refusal bucket has the least, 50. */
  private static final LimitRules RULES =
      new LimitRules(Rates.OFF, Rates.OFF, new PerKey(new Rates(10, 0), 0, 0), Rates.OFF, Map.of());

  private static final int BUDGET = 50;
  private static final Fault NOT_FOUND = Fault.of(ErrorCode.NOT_FOUND, "There is none.");

  private final RefusalBudgets budgets = new RefusalBudgets(() -> RULES);
  private FrozenClient client = client();

  private FrozenClient client() {
    FrozenClient made = new FrozenClient();
    made.refusals.budgets = budgets;
    return made;
  }

  /** A way in which a request ends, and whether its token stays taken. */
  enum WayOut {
    ANSWERED(false, call -> call.answer(200, "{}")),
    STREAMED(
        false,
        call -> {
          call.open();
          call.event("{}");
          call.end();
        }),
    NOT_FOUND(true, call -> call.refuse(RefusalBudgetOnTheHeadTest.NOT_FOUND)),
    INVALID(true, call -> call.refuse(Fault.invalid("model", "is missing"))),
    LIMITED(true, call -> call.refuse(Fault.of(ErrorCode.RATE_LIMITED, "-").withRetryAfter(1))),
    NODE_FAILED(false, call -> call.refuse(Fault.tryLater("A store is gone."))),
    ADMITTED_AND_ANSWERED(
        false,
        call -> {
          call.downstream.admitted();
          call.answer(200, "{}");
        }),
    ADMITTED_AND_REFUSED_BY_THE_PROVIDER(
        false,
        call -> {
          call.downstream.admitted();
          call.refuse(Fault.invalid("messages", "are too long"));
        });

    private final boolean costs;

    @SuppressWarnings("ImmutableEnumChecker") // scripts without state
    private final Consumer<Call> script;

    WayOut(boolean costs, Consumer<Call> script) {
      this.costs = costs;
      this.script = script;
    }
  }

  @ParameterizedTest
  @EnumSource(WayOut.class)
  void onlyARefusedRequestCosts(WayOut way) {
    client.service.script(way.script);
    for (int n = 0; n < 20; n++) {
      assertThat(ask()).doesNotContain("refusals");
    }
    assertThat(left()).isEqualTo(way.costs ? BUDGET - 20 : BUDGET);
  }

  @Test
  void aClientThatLeavesBeforeItIsAdmittedCosts() {
    client.service.hold();
    for (int n = 0; n < 20; n++) {
      ask();
      client.channel.close();
      client = client();
      client.service.hold();
    }
    assertThat(left()).isEqualTo(BUDGET - 20);
  }

  @Test
  void aClientThatLeavesAfterItWasAdmittedCostsNothing() {
    for (int n = 0; n < 20; n++) {
      client.service.script(call -> call.downstream.admitted());
      ask();
      client.channel.close();
      client = client();
    }
    assertThat(left()).isEqualTo(BUDGET);
  }

  @Test
  void aKeyThatMayNotBeUsedGets429BehindItsBudgetBeforeTheBodyIsSent() {
    String revoked = header(KeyState.REVOKED);
    for (int n = 0; n < BUDGET; n++) {
      assertThat(send("GET /v1/models", revoked)).contains("401", "key_revoked");
    }
    assertThat(send("GET /v1/models", revoked))
        .startsWith("HTTP/1.1 429 ")
        .containsIgnoringCase("\r\nretry-after: 1\r\n")
        .containsIgnoringCase("\r\nx-should-retry: true\r\n")
        .contains("\"code\":\"rate_limited\"", "\"scope\":\"refusals\"", "\"limit\":50");
    assertThat(send("POST /v1/chat/completions", revoked, "Content-Length: 9000000"))
        .startsWith("HTTP/1.1 429 ")
        .containsIgnoringCase("connection: close");
    assertThat(client.records.getLast().key()).as("the record names the key").isNotNull();

    client = client();
    client.pass(Duration.ofMillis(20));
    assertThat(send("GET /v1/models", header(KeyState.REVOKED))).contains("401");
    assertThat(send("GET /v1/models", header(KeyState.REVOKED))).contains("429");
  }

  @Test
  void aCallerWithTooManyUnknownKeysGets429() {
    String unknown = client.keys.header(new CacheResult.OverBudget());
    assertThat(send("GET /v1/models", unknown))
        .startsWith("HTTP/1.1 429 ")
        .containsIgnoringCase("\r\nretry-after: 1\r\n")
        .contains("\"code\":\"rate_limited\"", "\"scope\":\"refusals\"")
        .doesNotContain("\"limit\"");
    assertThat(client.records.getLast().key()).isNull();
  }

  @Test
  void noKeyAndAMalformedKeyDrawFromNoBucket() {
    for (int n = 0; n < 200; n++) {
      assertThat(send("GET /v1/models", "Authorization: Bearer sk-llm-" + "a".repeat(46)))
          .contains("401");
      assertThat(send("GET /v1/models", "Accept: */*")).contains("401");
    }
    assertThat(client.keys.lookups.get()).isZero();
    assertThat(left()).isEqualTo(BUDGET);
  }

  @Test
  void aRequestThatNoEndpointTakesCostsNothing() {
    for (int n = 0; n < 200; n++) {
      assertThat(send("GET /v1/nothing", client.keys.authorization())).contains("404");
    }
    assertThat(left()).isEqualTo(BUDGET);
  }

  private String header(KeyState state) {
    return client.keys.header(state, null, Set.of(), Org.State.ACTIVE);
  }

  private String ask() {
    return send("GET /v1/models", client.keys.authorization());
  }

  private String send(String line, String... headers) {
    client.send(
        line
            + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + String.join("\r\n", Arrays.asList(headers))
            + "\r\n\r\n");
    return client.received();
  }

  /** Returns how many more requests may be refused. */
  private int left() {
    client.service.script(call -> call.refuse(NOT_FOUND));
    int refused = 0;
    while (ask().contains(" 404 ")) {
      refused++;
    }
    return refused;
  }
}
