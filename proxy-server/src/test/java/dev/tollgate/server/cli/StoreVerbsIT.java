package dev.tollgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.tenant.KeyHash;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.session.StoreOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on organizations, credit, keys and the store, with and without a running gateway. */
@Tag("chaos")
class StoreVerbsIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir static Path folder;

  private static Path config;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void configure() throws IOException {
    config = folder.resolve("tollgate.yaml");
    Files.writeString(
        config,
        """
        version: 1
        store: { url: embedded, data_dir: ./data }
        providers: { mock: { type: mock } }
        models: {}
        limits: { org: { max_api_keys: 2 } }
        """);
  }

  private static final String KEY_WITH_EVERYTHING =
      "keys create --org acme --name prod --allow-model a/b --allow-model c/d --force"
          + " --allow-modality chat --allow-ip 10.0.0.0/8 --requests-per-second 1"
          + " --requests-per-minute 2 --tokens-per-minute 3 --concurrency 4"
          + " --daily-budget 5.00 --monthly-budget 6 --expires 2099-01-01";

  @Test
  void anOrganizationGetsCreditAndAKeyAndIsSuspended() throws Exception {
    JsonNode org = json("orgs", "create", "acme", "--monthly-limit", "100");
    assertThat(org.path("name").asText()).isEqualTo("acme");
    assertThat(org.path("monthly_limit_micro").asLong()).isEqualTo(100_000_000);

    assertThat(json("credits", "grant", "--org", "acme", "--usd", "25.50", "--ref", "a").toString())
        .contains("\"booked\":true", "\"balance_micro\":25500000");
    assertThat(json("credits", "grant", "--org", "acme", "--usd", "25.50", "--ref", "a").toString())
        .contains("\"booked\":false", "\"balance_micro\":25500000");

    JsonNode key = json(KEY_WITH_EVERYTHING.split(" "));
    assertThat(ApiKeyText.parse(key.path("key").asText())).isInstanceOf(ApiKeyText.ValidKey.class);
    JsonNode shown = json("keys", "show", key.path("id").asText());
    assertThat(shown.has("key")).isFalse();
    assertThat(shown.toString())
        .contains(
            "\"allowed_models\":[\"a/b\",\"c/d\"]",
            "\"allowed_modalities\":[\"chat\"]",
            "\"allowed_ips\":[\"10.0.0.0/8\"]",
            "\"requests_per_second\":1",
            "\"requests_per_minute\":2",
            "\"tokens_per_minute\":3",
            "\"concurrency\":4",
            "\"daily_budget_micro\":5000000",
            "\"monthly_budget_micro\":6000000",
            "\"expires_at\":\"2099-01-01T00:00:00Z\"");

    assertThat(json("orgs", "set", "acme", "--state", "suspended", "--monthly-limit", "none"))
        .isEqualTo(json("orgs", "show", org.path("id").asText()));
    assertThat(json("orgs", "show", "acme").toString())
        .contains("\"state\":\"suspended\"", "\"monthly_limit_micro\":null");

    assertThat(run("orgs", "show", "acme")).isZero();
    assertThat(out.toString()).containsPattern("(?m)^BALANCE {8}25.50$");
    assertThat(run("keys", "rotate", key.path("id").asText())).isZero();
    assertThat(out.toString()).containsPattern("(?m)^KEY +sk-llm-[0-9A-Za-z]{46}$");
    assertThat(out.toString()).containsPattern("(?m)^ALLOWED_MODELS +a/b,c/d$");

    assertThat(run("ledger", "audit")).isZero();
    assertThat(run("ledger", "audit", "--full")).isZero();
    assertThat(run("orgs", "list")).isZero();
    assertThat(out.toString().lines().toList().getFirst())
        .matches("NAME +STATE +BALANCE +MONTHLY_LIMIT +KEYS +ID");
    assertThat(out.toString()).containsPattern("acme +suspended +25.50 +- +1 ");
  }

  @Test
  void whatACommandChangesStandsInTheAuditLog() throws Exception {
    json("orgs", "create", "audited");
    json("orgs", "set", "audited", "--monthly-limit-cap", "5", "--max-api-keys", "1");
    JsonNode key = json("keys", "create", "--org", "audited", "--name", "k", "--note", "n");
    json("keys", "set", key.path("id").asText(), "--daily-budget", "1");
    assertThat(run("keys", "create", "--org", "audited", "--name", "k")).isOne();
    assertThat(err.toString()).contains("max_api_keys_reached: audited has 1 keys");
    assertThat(json("members", "list", "--org", "audited")).isEmpty();
    assertThat(run("members", "add", "--org", "audited", "a@example.com", "--role", "owner"))
        .isOne();
    assertThat(err.toString()).contains("there is no account a@example.com");
    json("orgs", "set", "audited", "--close");

    JsonNode rows = json("audit", "list", "--org", "audited");
    assertThat(rows.findValuesAsText("action"))
        .containsExactly("org.close", "key.update", "key.create", "org.cap", "org.create");
    assertThat(rows.findValuesAsText("actor"))
        .allMatch(("cli:" + System.getProperty("user.name"))::equals);
    assertThat(rows.toString()).doesNotContain(key.path("key").asText());
    assertThat(json("audit", "list", "--org", "audited", "--action", "org.cap", "--limit", "1"))
        .hasSize(1);
  }

  @Test
  void withoutRequestsThereIsNothingToShow() throws Exception {
    assertThat(json("requests", "list", "--since", "7d")).isEmpty();
    json("orgs", "create", "idle");
    assertThat(json("usage", "--by", "model", "--org", "idle")).isEmpty();
    assertThat(run("requests", "list")).isZero();
    assertThat(out.toString())
        .matches(
            "TS +KEY_ID +ROUTE +MODEL +STATUS +OUTCOME +PROMPT_TOKENS +COMPLETION_TOKENS"
                + " +CACHED_TOKENS +REASONING_TOKENS +COST +TOTAL_MS +REQUEST_ID +ROUTING\\R");
    assertThat(run("usage", "--since", "30d", "--org", "idle")).isZero();
    assertThat(out.toString())
        .matches(
            "DAY +REQUESTS +PROMPT_TOKENS +COMPLETION_TOKENS +CACHED_TOKENS +REASONING_TOKENS"
                + " +COST +OPERATOR_COST +MARGIN +COUNTED_REFUSALS +ABORTED\\R");
  }

  @Test
  void usageSumsTokensOfEachKind() throws Exception {
    String org = json("orgs", "create", "busy").path("id").asText();
    String key = json("keys", "create", "--org", "busy", "--name", "k").path("id").asText();
    try (Store store = Store.forCommand(StoreOptions.embedded(folder.resolve("data")))) {
      var charge =
          new Settlement(
              RequestId.at(System.currentTimeMillis()),
              new OrgId(UUID.fromString(org)),
              new KeyId(key),
              0,
              MicroUsd.ZERO,
              new MicroUsd(1_500_000),
              new Tokens(40, 30, 20, 10, false),
              Settlement.SettlementKind.COMPLETED,
              new byte[0]);
      store
          .ledgerStore()
          .settle(new LeaseHolder(new UUID(0, 10), 1, new UUID(0, 11)), List.of(charge));
    }
    assertThat(json("usage", "--by", "key", "--org", "busy").path(0).toString())
        .isEqualTo(
            "{\"key\":\"%s\",\"requests\":1,\"prompt_tokens\":40,\"completion_tokens\":30,"
                    .formatted(key)
                + "\"cached_tokens\":20,\"reasoning_tokens\":10,\"cost_micro\":1500000,"
                + "\"operator_cost_micro\":1500000,\"margin_micro\":0,"
                + "\"counted_refusals\":0,\"aborted\":0}");
    assertThat(run("usage", "--by", "key", "--org", "busy")).isZero();
    assertThat(out.toString()).containsPattern(key + " +1 +40 +30 +20 +10 +1.50");
  }

  @Test
  void theRequestViewIsRebuiltFromADayOn() throws Exception {
    assertThat(run("store", "rebuild-view")).isZero();
    assertThat(out.toString()).contains("rebuilt ", " requests");
    assertThat(run("store", "rebuild-view", "--from", "2999-01-01")).isZero();
    assertThat(out.toString()).isEmpty();
    assertThat(run("store", "rebuild-view", "--from", "yesterday")).isEqualTo(2);
  }

  @Test
  void nodesAreListedAndNoneIsReleasedByMistake() throws Exception {
    String node = "00000000-0000-0000-0000-000000000001";
    assertThat(json("ledger", "nodes")).isEmpty();
    assertThat(run("ledger", "nodes")).isZero();
    assertThat(out.toString()).matches("NODE +STATE +UNRESPONSIVE_S +LEASED +COMMITTED +EPOCH\\R");
    assertThat(run("ledger", "release", node)).isEqualTo(1);
    assertThat(err.toString()).contains("nothing was done", "--yes");
    assertThat(run("ledger", "release", node, "--yes")).isEqualTo(1);
    assertThat(err.toString()).contains("there is no node " + node);
    assertThat(run("ledger", "release", "that-one", "--yes")).isEqualTo(2);
  }

  @Test
  void quarantinedChargesAreListedRetriedAndDropped() throws Exception {
    assertThat(run("ledger", "quarantine", "list")).isZero();
    assertThat(out.toString()).matches("REQUEST_ID +COST +ORG_ID +KEY_ID +SINCE +REASON\\R");
    assertThat(json("ledger", "quarantine", "retry", "--all")).isEmpty();
    String request = RequestId.at(System.currentTimeMillis()).value();
    try (Store store = Store.forCommand(StoreOptions.embedded(folder.resolve("data")))) {
      var charge =
          new Settlement(
              new RequestId(request),
              new OrgId(new UUID(0, 7)),
              new KeyId("nobody00"),
              0,
              MicroUsd.ZERO,
              new MicroUsd(1_500_000),
              Tokens.NONE,
              Settlement.SettlementKind.COMPLETED,
              new byte[0]);
      store
          .ledgerStore()
          .quarantine(new LeaseHolder(new UUID(0, 8), 1, new UUID(0, 9)), charge, "why");
    }
    assertThat(json("ledger", "quarantine", "list").findValuesAsText("request_id"))
        .containsExactly(request);
    assertThat(run("ledger", "audit")).isEqualTo(1);
    assertThat(run("ledger", "quarantine", "retry", request)).isEqualTo(1);
    assertThat(out.toString()).containsPattern(request + " +false +- +.*organization");
    assertThat(err.toString()).contains("1 of 1 charges were not settled");
    assertThat(run("ledger", "quarantine", "retry")).isEqualTo(2);
    assertThat(run("ledger", "quarantine", "drop", request)).isEqualTo(1);
    assertThat(err.toString()).contains("nothing was done", request);
    assertThat(run("ledger", "quarantine", "drop", request, "--yes")).isZero();
    assertThat(out.toString()).containsPattern(request + " +1.50");
    assertThat(run("ledger", "quarantine", "drop", request, "--yes")).isEqualTo(1);
    assertThat(err.toString()).contains("not in quarantine: " + request);
    assertThat(run("ledger", "audit")).isZero();
  }

  @Test
  void secretsOfWebhooksAreShownAndRotated() throws Exception {
    json("orgs", "create", "hooked");
    String secret = json("orgs", "secret", "show", "hooked").path("webhook_secret").asText();
    assertThat(secret).matches("whsec_[A-Za-z0-9+/]{43}=");
    JsonNode rotated = json("orgs", "secret", "rotate", "hooked");
    assertThat(rotated.path("webhook_secret").asText()).isNotEqualTo(secret);
    assertThat(json("orgs", "secret", "show", "hooked")).isEqualTo(rotated);
    assertThat(run("orgs", "secret", "rotate", "hooked", "--keep", "0s")).isZero();
    assertThat(json("webhooks", "list", "--org", "hooked", "--state", "failed")).isEmpty();
    assertThat(run("webhooks", "list", "--state", "lost")).isEqualTo(2);
    assertThat(run("webhooks", "attempts", "no-uuid")).isEqualTo(2);
  }

  @Test
  void secretsAreSealedWithTheFirstKeyAndNameIt() throws Exception {
    assertThat(run("store", "seal")).isEqualTo(1);
    assertThat(err.toString()).contains("store.master_keys has no key");
    json("orgs", "create", "sealed");
    JsonNode secret = json("orgs", "secret", "show", "sealed");
    String plain = Files.readString(config);
    String old = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    String fresh = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    try {
      configureKeys(plain, old);
      assertThat(json("orgs", "secret", "show", "sealed")).isEqualTo(secret);
      assertThat(run("store", "seal")).isZero();
      assertThat(out.toString()).containsPattern("(?s)sealed the secrets of [1-9].*under f303");
      configureKeys(plain, fresh);
      assertThat(run("orgs", "secret", "show", "sealed")).isEqualTo(1);
      assertThat(err.toString()).contains("sealed is sealed with the master key f303", "--keep 0s");
      assertThat(run("store", "seal")).isEqualTo(1);
      assertThat(err.toString()).contains("a secret of sealed is sealed with the master key");
      configureKeys(plain, fresh + ", " + old);
      assertThat(run("store", "seal")).isZero();
      assertThat(out.toString()).doesNotContain("under f303");
      configureKeys(plain, fresh);
      assertThat(json("orgs", "secret", "show", "sealed")).isEqualTo(secret);
    } finally {
      configureKeys(plain, fresh + ", " + old);
    }
  }

  private static void configureKeys(String plain, String keys) throws IOException {
    String store = "data_dir: ./data, master_keys: [" + keys + "] }";
    Files.writeString(config, plain.replace("data_dir: ./data }", store));
  }

  @Test
  void keyChangesReachARunningGateway() throws Exception {
    StoreOptions options = StoreOptions.embedded(folder.resolve("data"));
    try (var lock = DataDirLock.acquire(options.dataDir());
        Store gateway = Store.start(lock, options)) {
      json("orgs", "create", "live");
      JsonNode made = json("keys", "create", "--org", "live", "--name", "k");
      KeyHash hash = KeyHash.of(made.path("key").asText());
      String id = made.path("id").asText();
      assertThat(stateOf(gateway, hash)).isEqualTo(KeyState.ACTIVE);
      json("keys", "disable", id);
      assertThat(stateOf(gateway, hash)).isEqualTo(KeyState.DISABLED);
      json("keys", "enable", id);
      assertThat(stateOf(gateway, hash)).isEqualTo(KeyState.ACTIVE);

      JsonNode second = json("keys", "rotate", id);
      assertThat(stateOf(gateway, hash)).isEqualTo(KeyState.REVOKED);
      assertThat(json("keys", "show", id).path("replaced_by")).isEqualTo(second.path("id"));
      json("keys", "revoke", second.path("id").asText());
      assertThat(run("keys", "enable", id)).isEqualTo(1);
      assertThat(err.toString()).contains("revoked");

      Path file = folder.resolve("live.zip");
      assertThat(run("store", "export", file.toString())).isZero();
      assertThat(out.toString()).contains("rows of api_key");
      assertThat(run("store", "import", file.toString(), "--replace")).isEqualTo(1);
      assertThat(err.toString()).contains("in use by another process");
    }
  }

  @Test
  void theStoreIsExportedAndImported() throws Exception {
    json("orgs", "create", "traveller");
    JsonNode before = json("orgs", "list");
    Path file = folder.resolve("travel.zip");
    assertThat(run("store", "export", file.toString())).isZero();
    json("orgs", "create", "latecomer");
    assertThat(run("store", "import", file.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("--replace");
    assertThat(run("store", "import", file.toString(), "--replace")).isZero();
    assertThat(json("orgs", "list")).isEqualTo(before);
    assertThat(run("migrate")).isZero();
    assertThat(out.toString()).contains("migrations applied: 0");
  }

  @Test
  void commandsAtTheSameTimeShareOneDatabase() throws Exception {
    List<Callable<String>> commands = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String name = "together" + i;
      commands.add(
          () -> {
            StringWriter errors = new StringWriter();
            int code =
                Main.commandLine()
                    .setOut(new PrintWriter(new StringWriter()))
                    .setErr(new PrintWriter(errors, true))
                    .execute("orgs", "create", name, "--config", config.toString());
            return code + errors.toString();
          });
    }
    try (var threads = Executors.newFixedThreadPool(commands.size())) {
      for (Future<String> command : threads.invokeAll(commands)) {
        assertThat(command.get()).isEqualTo("0");
      }
    }
    assertThat(json("orgs", "list").findValuesAsText("name"))
        .contains("together0", "together1", "together2", "together3");
  }

  @Test
  void theNumberOfKeysIsBounded() throws Exception {
    json("orgs", "create", "crowded");
    for (String name : List.of("one", "two")) {
      json("keys", "create", "--org", "crowded", "--name", name);
    }
    assertThat(run("keys", "create", "--org", "crowded", "--name", "three")).isEqualTo(1);
    assertThat(err.toString()).contains("max_api_keys_reached");
    assertThat(json("keys", "list", "--org", "crowded")).hasSize(2);
  }

  @Test
  void missingRowsExitWithOne() {
    for (List<String> verb :
        List.of(
            List.of("orgs", "show", "nobody"),
            List.of("orgs", "set", "nobody", "--state", "active"),
            List.of("credits", "grant", "--org", "nobody", "--usd", "1"),
            List.of("keys", "create", "--org", "nobody", "--name", "k"),
            List.of("requests", "list", "--org", "nobody"),
            List.of("usage", "--org", "nobody"),
            List.of("webhooks", "list", "--org", "nobody"),
            List.of("webhooks", "resend", "0197c1a2-7b3c-4d5e-8f90-a1b2c3d4e5f6"),
            List.of("jobs", "list", "--org", "nobody"),
            List.of("jobs", "show", "no-uuid"),
            List.of("jobs", "cancel", "0197c1a2-7b3c-4d5e-8f90-a1b2c3d4e5f6"),
            List.of("keys", "show", "00000000"))) {
      assertThat(run(verb.toArray(String[]::new))).as("%s", verb).isEqualTo(1);
      assertThat(err.toString()).contains("there is no ").doesNotContain("\tat ");
      assertThat(out.toString()).isEmpty();
    }
  }

  @Test
  void usageErrorsExitWithTwo() {
    for (List<String> verb :
        List.of(
            List.of("orgs"),
            List.of("orgs", "create"),
            List.of("orgs", "set", "x"),
            List.of("requests", "list", "--outcome", "fine"),
            List.of("requests", "list", "--limit", "0"),
            List.of("requests", "list", "--since", "yesterday"),
            List.of("requests", "tail", "--outcome", "fine"),
            List.of("usage", "--by", "mood"),
            List.of("jobs", "list", "--status", "asleep"),
            List.of("jobs", "list", "--limit", "0"),
            List.of("jobs", "show"),
            List.of("orgs", "set", "x", "--state", "asleep"),
            List.of("orgs", "set", "x", "--monthly-limit", "-1"),
            List.of("credits", "grant", "--org", "x", "--usd", "1e3"),
            List.of("credits", "grant", "--org", "x", "--usd", "0.0000001"),
            List.of("keys", "create", "--org", "x"),
            List.of("keys", "create", "--org", "x", "--name", "k", "--allow-modality", "smell"),
            List.of("keys", "create", "--org", "x", "--name", "k", "--allow-ip", "10.0.0.0/99"),
            List.of("keys", "create", "--org", "x", "--name", "k", "--expires", "2001-01-01"),
            List.of("keys", "create", "--org", "x", "--name", "k", "--concurrency", "many"))) {
      assertThat(run(verb.toArray(String[]::new))).as("%s", verb).isEqualTo(2);
      assertThat(out.toString()).isEmpty();
    }
  }

  @Test
  void everyFieldOfAKeyCanBeChangedAndCleared() throws Exception {
    json("orgs", "create", "changing");
    JsonNode key = json(KEY_WITH_EVERYTHING.replace("acme", "changing").split(" "));
    String id = key.path("id").asText();
    JsonNode before = json("keys", "show", id);

    JsonNode renamed = json("keys", "set", id, "--name", "other");
    assertThat(renamed.path("name").asText()).isEqualTo("other");
    assertThat(json("keys", "set", id, "--name", "prod")).isEqualTo(before);

    assertThat(
            json(("keys set " + id + " --allow-model e/* --force --allow-modality image,video")
                    .concat(" --allow-ip 192.0.2.1 --requests-per-second 0 --concurrency 9")
                    .concat(" --daily-budget 0.5 --monthly-budget 7 --expires 2098-01-01")
                    .split(" "))
                .toString())
        .contains(
            "\"allowed_models\":[\"e/*\"]",
            "\"allowed_modalities\":[\"image\",\"video\"]",
            "\"allowed_ips\":[\"192.0.2.1\"]",
            "\"requests_per_second\":0",
            "\"requests_per_minute\":2",
            "\"concurrency\":9",
            "\"daily_budget_micro\":500000",
            "\"monthly_budget_micro\":7000000",
            "\"expires_at\":\"2098-01-01T00:00:00Z\"");

    JsonNode cleared =
        json(
            ("keys set " + id + " --allow-model none --allow-modality none --allow-ip none")
                .concat(" --requests-per-second default --requests-per-minute default")
                .concat(" --tokens-per-minute default --concurrency default")
                .concat(" --daily-budget none --monthly-budget none --expires none")
                .split(" "));
    JsonNode plain = json("keys", "create", "--org", "changing", "--name", "prod");
    for (String field : List.of("id", "last_four", "created_at", "key")) {
      ((ObjectNode) cleared).remove(field);
      ((ObjectNode) plain).remove(field);
    }
    assertThat(cleared).isEqualTo(plain);
    assertThat(run("keys", "set", id, "--expires", "2001-01-01")).isEqualTo(2);
    assertThat(err.toString()).contains("has passed");
    assertThat(run("keys", "set", id)).isEqualTo(2);
  }

  private static KeyState stateOf(Store gateway, KeyHash hash) {
    return ((Lookup.Found) gateway.keyDirectory().find(hash)).key().state();
  }

  private JsonNode json(String... verb) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(verb));
    arguments.addAll(List.of("-o", "json"));
    assertThat(run(arguments.toArray(String[]::new))).as("%s: %s", arguments, err).isZero();
    return JSON.readTree(out.toString());
  }

  private int run(String... verb) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    List<String> arguments = new ArrayList<>(List.of(verb));
    boolean group = verb.length == 1 && !verb[0].equals("migrate");
    if (!group) {
      arguments.addAll(List.of("--config", config.toString()));
    }
    return Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }
}
