package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.acceptance.LauncherProcess.CommandResult;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.tenant.CreditService;
import dev.tollgate.server.account.tenant.CreditService.Booking;
import dev.tollgate.server.cli.Verbs;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.tenants.Credits.EntryKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands of operators on the database of a running gateway. */
class CommandLineIT {
  @TempDir Path folder;

  private final NodeFolder home = SharedNode.node().home();

  /** Writes a configuration whose provider has a secret that is not set. */
  private Path writeConfig() throws IOException {
    StringBuilder text = new StringBuilder("version: 1\nstore:\n");
    for (String setting : home.storeSettings()) {
      String[] keyAndValue = setting.substring("store.".length()).split("=", 2);
      text.append("  %s: \"%s\"\n".formatted(keyAndValue[0], keyAndValue[1]));
    }
    text.append(
        """
        providers:
          acme:
            type: openai
            base_url: https://api.example.com/v1
            api_key: ${ACME_KEY:?set ACME_KEY}
        models: {}
        """);
    return Files.writeString(folder.resolve("tollgate.yaml"), text);
  }

  @Test
  void theFileIsFoundAndNoSecretOfAProviderIsNeeded() throws Exception {
    CommandResult none = LauncherProcess.runIn(folder, Map.of(), "orgs", "list");
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err())
        .hasLineCount(1)
        .contains("--config FILE", "$TOLLGATE_CONFIG", "./tollgate.yaml", "/etc/tollgate/");

    Path config = writeConfig();
    CommandResult here = LauncherProcess.runIn(folder, Map.of(), "orgs", "list", "-o", "csv");
    assertThat(here.err()).isEmpty();
    assertThat(here.out()).startsWith("name,state,balance_micro,monthly_limit_micro,keys,id\n");

    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Map<String, String> named = Map.of("TOLLGATE_CONFIG", config.toString());
    CommandResult checked = LauncherProcess.runIn(elsewhere, named, "check");
    assertThat(checked.exitCode()).isOne();
    assertThat(checked.err()).contains("providers.acme.api_key: set ACME_KEY");
  }

  @Test
  void aRequestIsShownWithAttemptsPhasesAndTheArithmeticOfItsPrice() throws Exception {
    String id = ask("test/chat");
    var _ = StoredCharges.of(home).await(id);

    JsonNode shown = Json.tree(LauncherProcess.ask(home, "requests", "show", id));
    assertThat(shown.path("attempts").path(0).path("provider").asText()).isEqualTo("mock");
    assertThat(shown.path("phases")).isNotEmpty();
    JsonNode arithmetic = shown.path("arithmetic");
    assertThat(arithmetic.path("matches").asBoolean()).isTrue();
    assertThat(arithmetic.path("rounded_micro")).isEqualTo(shown.path("cost_micro"));
    assertThat(arithmetic.path("lines").findValuesAsText("unit"))
        .containsExactly("prompt_token", "completion_token");

    String table = run("requests", "show", id).out();
    assertThat(table)
        .containsPattern("REQUEST_ID +" + id)
        .containsPattern("PROVIDER +OUTCOME +STATUS +AT_MS +MS +REASON")
        .containsPattern("PHASE +AT_MS")
        .containsPattern("PART +UNIT +QUANTITY +PRICE_USD +USD\\R0 +prompt_token +\\d+ +0\\.0")
        .containsPattern("MATCHES_THE_CHARGE +true");
    assertThat(run("requests", "show", "req_none").err()).contains("there is no request req_none");
  }

  private static String ask(String model) {
    try (RawClient client = SharedNode.node().connect()) {
      RawResponse reply =
          client
              .post(ChatRequests.PATH, ChatRequests.body(model, false), SharedNode.authorization())
              .readResponse();
      return Objects.requireNonNull(reply.header("x-request-id"));
    }
  }

  @Test
  void aKeyLikeAnotherHasItsSettingsAndOwnBudgets() throws Exception {
    String org = Tenants.org();
    JsonNode first =
        json(
            "keys create --org "
                + org
                + " --name prod --allow-model test/chat --daily-budget 5"
                + " --concurrency 7 --note why --expires 30d");

    JsonNode second = json("keys create --like " + first.path("id").asText());
    JsonNode third =
        json("keys create --name other --daily-budget 1 --like " + first.path("id").asText());

    for (String same : List.of("name", "org", "allowed_models", "concurrency", "expires_at")) {
      assertThat(second.path(same)).as(same).isEqualTo(first.path(same));
    }
    assertThat(second.path("daily_budget_micro").asLong()).isEqualTo(5_000_000);
    assertThat(second.path("key")).isNotEqualTo(first.path("key"));
    assertThat(second.path("replaced_by").isNull()).isTrue();
    assertThat(third.path("name").asText()).isEqualTo("other");
    assertThat(third.path("daily_budget_micro").asLong()).isEqualTo(1_000_000);
    assertThat(json("keys list --org " + org)).hasSize(3);
    assertThat(run("keys", "create", "--like", "missing1").err()).contains("no key missing1");
    assertThat(run("keys", "create", "--org", org).exitCode()).isEqualTo(2);
  }

  @Test
  void aGrantIsListedAndTakenBackOnce() throws Exception {
    String org = Tenants.payingOrg();
    json("credits grant --org " + org + " --usd 5 --ref " + org + "-gift");

    for (boolean isFirst : List.of(true, false)) {
      JsonNode revoked = json("credits revoke " + org + "-gift");
      assertThat(revoked.path("booked").asBoolean()).isEqualTo(isFirst);
      assertThat(revoked.path("amount_micro").asLong()).isEqualTo(-5_000_000);
      assertThat(revoked.path("balance_micro").asLong()).isEqualTo(100_000_000);
    }

    JsonNode rows = json("credits list --org " + org);
    assertThat(rows.findValuesAsText("ref"))
        .containsExactly("revoke:" + org + "-gift", org + "-gift", org);
    assertThat(rows.findValuesAsText("kind")).containsExactly("refund", "funding", "funding");
    assertThat(json("credits list --kind refund --org " + org)).hasSize(1);
    assertThat(json("audit list --action credits.book --limit 1 --org " + org).toString())
        .contains("revoke:" + org + "-gift");
    assertThat(run("credits", "revoke", "revoke:" + org + "-gift").err())
        .contains("nothing was taken back");
  }

  @Test
  void whatIsNoLongerThereIsTakenBackByForceAlone() throws Exception {
    String org = Tenants.payingOrg();
    try (Store store = Store.forCommand(Tenants.store())) {
      OrgId id = store.credits().organization(org).orElseThrow();
      var used = new Booking(EntryKind.ADJUSTMENT, -10_000_000, org + "-used", null);
      new CreditService(store.pool(), () -> {})
          .book(OrgAccess.of(store.pool(), Caller.cli(), id), used, IdempotencyClaim.NONE);
    }

    Verbs.CommandResult refused = run("credits", "revoke", org);
    assertThat(refused.exitCode()).isOne();
    assertThat(refused.err()).contains("nothing was taken back from " + org, "90");
    assertThat(json("credits revoke --force " + org).path("balance_micro").asLong())
        .isEqualTo(-10_000_000);
  }

  @Test
  void usageHasSeveralDimensionsAndAPeriod() throws Exception {
    var _ = StoredCharges.of(home).await(ask("test/chat"));

    JsonNode rows = json("usage --by key,model,day --from 1h");
    assertThat(rows.path(0).fieldNames()).toIterable().startsWith("key", "model", "day");
    assertThat(rows.findValuesAsText("model")).contains("test/chat");
    assertThat(json("usage --by model --from 2026-01-01 --to 2026-01-02")).isEmpty();
    assertThat(run("usage", "--by", "model,key", "-o", "csv").out())
        .startsWith("model,key,requests,prompt_tokens,");
    assertThat(run("usage", "--from", "1h", "--to", "2h").exitCode()).isEqualTo(2);
  }

  @Test
  void anAuditThatFindsNothingSaysWhatItLookedAt() {
    String report = run("ledger", "audit").out();
    assertThat(report)
        .containsPattern("DIFFERENCES +0\\R")
        .containsPattern("INVARIANTS +[5-9]")
        .containsPattern("ORGANIZATIONS +[1-9]")
        .containsPattern("ENTRIES +[1-9]")
        .containsPattern("DAYS +[1-9]");
  }

  private JsonNode json(String words) throws IOException {
    return Json.tree(LauncherProcess.ask(home, words.split(" ")));
  }

  private Verbs.CommandResult run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--config", home.config().toString()));
    return Verbs.run(all.toArray(String[]::new));
  }
}
