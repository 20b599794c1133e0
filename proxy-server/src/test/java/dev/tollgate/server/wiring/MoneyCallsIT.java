package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.wiring.TestControlPlane.Client;
import dev.tollgate.server.wiring.TestControlPlane.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The calls of credits, ledger, spending limit, budgets and limits over HTTP. */
final class MoneyCallsIT {
  private static final String ISSUES = "/error/details/issues";

  @TempDir private static Path folder;
  private static TestControlPlane control;
  private OrgId org;
  private Client owner;
  private Client viewer;
  private String base;

  @BeforeAll
  static void start() throws Exception {
    control = TestControlPlane.start(folder, "limits: { org: { requests_per_second: 7 } }\n");
  }

  @AfterAll
  static void close() {
    control.close();
  }

  @BeforeEach
  void people() throws Exception {
    org = control.org();
    owner = control.member(org, Role.OWNER);
    viewer = control.member(org, Role.VIEWER);
    base = "/orgs/" + org;
  }

  private void fund(long micro, String ref) throws Exception {
    control.store().credits().grant(org, new MicroUsd(micro), ref + org, "cli");
  }

  private static List<String> members(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  @Test
  void creditsAreShownAndTheSpendingLimitIsSet() throws Exception {
    fund(5_000_000, "a");
    Reply shown = viewer.get(base + "/credits");
    assertThat(shown.status()).isEqualTo(200);
    assertThat(members(shown.json()))
        .containsExactlyInAnyOrder(
            "balance_micro",
            "reserved_micro",
            "available_micro",
            "monthly",
            "alerts",
            "alert_below_micro",
            "as_of");
    assertThat(shown.json().path("balance_micro").asLong()).isEqualTo(5_000_000);
    assertThat(members(shown.json().path("monthly")))
        .containsExactlyInAnyOrder(
            "limit_micro", "cap_micro", "spent_micro", "reserved_micro", "resets_at");
    assertThat(shown.json().path("alerts").toString()).isEqualTo("[80,100]");

    String limit = "{\"monthly_limit_micro\":1000000,\"alerts\":[90,50],\"alert_below_micro\":7}";
    String path = base + "/spending-limit";
    Reply set = owner.put(path, limit);
    assertThat(set.status()).isEqualTo(200);
    assertThat(set.json().at("/monthly/limit_micro").asLong()).isEqualTo(1_000_000);
    assertThat(set.json().path("alerts").toString()).isEqualTo("[50,90]");
    assertThat(set.json().path("alert_below_micro").asLong()).isEqualTo(7);
    assertThat(viewer.get(base + "/credits").json().path("alert_below_micro").asLong())
        .isEqualTo(7);
    assertThat(control.auditOfIds(org)).containsExactly("user limit.spending " + org);

    assertThat(viewer.put(path, limit).refusal()).isEqualTo("403 forbidden");
    Reply wrong = owner.put(path, "{\"monthly_limit_micro\":-1,\"alerts\":[\"x\"],\"cap\":1}");
    assertThat(wrong.refusal()).isEqualTo("400 validation_failed monthly_limit_micro");
    assertThat(wrong.json().at(ISSUES).findValuesAsText("param"))
        .containsExactly("monthly_limit_micro", "alerts[0]", "cap");
    assertThat(owner.put(path, "{\"alerts\":[101]}").json().at("/error/param").asText())
        .isEqualTo("alerts");
    control.update(
        "UPDATE organization SET monthly_limit_cap_micro = 2000000, state = 'suspended'"
            + " WHERE id = ?",
        org.value());
    assertThat(owner.put(path, "{\"monthly_limit_micro\":2000001}").refusal())
        .isEqualTo("400 validation_failed monthly_limit_micro over_cap");
    assertThat(owner.put(path, "{\"monthly_limit_micro\":null}").refusal())
        .isEqualTo("400 validation_failed monthly_limit_micro over_cap");
    assertThat(owner.put(path, "{\"monthly_limit_micro\":2000000}").status())
        .as("suspended: it lets nothing through")
        .isEqualTo(200);
    owner.withOldProof();
    assertThat(owner.put(path, "{\"monthly_limit_micro\":1}").refusal())
        .isEqualTo("403 forbidden reauthentication_required");
  }

  @Test
  void aLimitThatIsReachedAlreadyIsMailedAtOnce() throws Exception {
    String set = "{\"alert_below_micro\":5}";
    assertThat(owner.put(base + "/spending-limit", set).status()).isEqualTo(200);
    assertThat(control.awaitMails("spending-alert", owner.email(), 1))
        .singleElement()
        .asString()
        .contains("is below 0.000005 USD");
  }

  @Test
  void theLedgerIsReadByPageAndKind() throws Exception {
    fund(1_000_000, "a");
    fund(2_000_000, "b");
    String ledger = base + "/ledger";
    Reply first = owner.get(ledger + "?limit=1");
    JsonNode line = first.json().at("/data/0");
    assertThat(members(line))
        .containsExactlyInAnyOrder(
            "id",
            "at",
            "kind",
            "amount_micro",
            "balance_after_micro",
            "ref",
            "reason",
            "actor",
            "day");
    assertThat(line.path("kind").asText()).isEqualTo("funding");
    assertThat(line.path("amount_micro").asLong()).isEqualTo(2_000_000);
    assertThat(line.path("balance_after_micro").asLong()).isEqualTo(3_000_000);
    assertThat(line.at("/actor/name").asText()).isEqualTo("cli");
    String cursor = first.json().path("next_cursor").asText();
    Reply second = owner.get(ledger + "?limit=1&cursor=" + cursor);
    assertThat(second.json().at("/data/0/amount_micro").asLong()).isEqualTo(1_000_000);
    assertThat(second.json().path("next_cursor").isNull()).isTrue();

    assertThat(owner.get(ledger + "?kind=charges&kind=refund").json().path("data")).isEmpty();
    assertThat(owner.get(ledger + "?from=2099-01-01T00:00:00Z").json().path("data")).isEmpty();
    assertThat(owner.get(ledger + "?kind=gift").json().at("/error/param").asText())
        .isEqualTo("kind");
    assertThat(owner.get(ledger + "?from=monday").json().at("/error/param").asText())
        .isEqualTo("from");
    assertThat(viewer.get(ledger).refusal()).isEqualTo("403 forbidden");
    assertThat(control.member(org, Role.BILLING).get(ledger).status()).isEqualTo(200);
  }

  @Test
  void budgetsAreWhatHasALimit() throws Exception {
    assertThat(viewer.get(base + "/budgets").raw().text())
        .isEqualTo("{\"data\":[],\"next_cursor\":null}");
    owner.post(base + "/keys", "{\"name\":\"a\",\"daily_budget_micro\":500}");
    owner.put(base + "/spending-limit", "{\"monthly_limit_micro\":1000}");
    JsonNode rows = viewer.get(base + "/budgets").json().path("data");
    assertThat(rows.findValuesAsText("scope"))
        .containsExactlyInAnyOrder("organization_month", "key_day");
    JsonNode ofKey = rows.path(0).path("key").isNull() ? rows.path(1) : rows.path(0);
    assertThat(members(ofKey))
        .containsExactlyInAnyOrder(
            "scope",
            "key",
            "limit_micro",
            "spent_micro",
            "reserved_micro",
            "remaining_micro",
            "resets_at",
            "used_percent");
    assertThat(ofKey.at("/key/name").asText()).isEqualTo("a");
    assertThat(ofKey.path("remaining_micro").asLong()).isEqualTo(500);
  }

  @Test
  void limitsAndLateRefusalsAreShown() throws Exception {
    control.update(
        "INSERT INTO refusal_count (minute, org_id, key_id, code, refusals)"
            + " VALUES (date_trunc('minute', ledger_now()), ?, 'k', 'rate_limited', 3)",
        org.value());
    failed("ledger_now() - interval '10 minutes'", "rate_limited", 2);
    failed("ledger_now() - interval '20 hours'", "budget_exceeded", 4);
    failed("ledger_now() - interval '25 hours'", "upstream_error", 9);
    failed("ledger_now()", "", 100);
    JsonNode limits = viewer.get(base + "/limits").json();
    assertThat(limits.at("/organization/requests_per_second").asInt()).isEqualTo(7);
    assertThat(limits.at("/organization/concurrency").isNull()).isTrue();
    assertThat(limits.at("/key_defaults/requests_per_minute").asInt()).isPositive();
    assertThat(limits.path("refusals24h").toString())
        .isEqualTo(
            "[{\"code\":\"rate_limited\",\"count\":5},{\"code\":\"budget_exceeded\",\"count\":4}]");
  }

  private void failed(String at, String code, int requests) throws Exception {
    control.update(
        """
        INSERT INTO usage_slot
        SELECT date_bin('5 minutes', %s, 'epoch'), ?, 'k', 'm', 'p', 'e', 'x', ?, ?,
               0, 0, 0, 0, 0, 0, '{}', '{}', '{}'"""
            .formatted(at),
        org.value(),
        code,
        requests);
  }
}
