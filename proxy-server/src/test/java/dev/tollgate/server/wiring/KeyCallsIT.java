package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.id.OrgId;
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

/** The calls of API keys over HTTP: status, code, members and the audit log. */
final class KeyCallsIT {
  private static TestControlPlane control;
  private OrgId org;
  private Client owner;
  private Client developer;
  private String keys;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    control = TestControlPlane.start(folder, "limits: { org: { max_api_keys: 4 } }\n");
  }

  @AfterAll
  static void close() {
    control.close();
  }

  @BeforeEach
  void people() throws Exception {
    org = control.org();
    owner = control.member(org, "owner-of-" + org, Role.OWNER);
    developer = control.member(org, Role.DEVELOPER);
    keys = "/orgs/" + org + "/keys";
  }

  private String make(Client who, String name) throws Exception {
    Reply made = who.post(keys, "{\"name\":\"%s\"}".formatted(name));
    assertThat(made.status()).isEqualTo(201);
    return made.json().at("/key/id").asText();
  }

  private static List<String> names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.path("data").forEach(key -> names.add(key.path("name").asText()));
    return names;
  }

  @Test
  void aKeyIsMadeAndShown() throws Exception {
    Reply made =
        owner.post(
            keys,
            """
            {"name":"ci","note":"n","allowed_models":["test/chat"],"allowed_ips":["10.0.0.0/8"],
             "allowed_modalities":["chat"],"limits":{"requests_per_minute":7},
             "daily_budget_micro":5000000,"expires_at":"2099-01-01T00:00:00Z"}""");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.header("etag")).isEqualTo("\"1\"");
    JsonNode key = made.json().path("key");
    String id = key.path("id").asText();
    assertThat(made.json().path("secret").asText()).startsWith("sk-llm-" + id);
    assertThat(key.fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder(
            ("id name note last_four state created_at created_by expires_at revoked_at replaced_by"
                    + " replaces allowed_models allowed_modalities allowed_ips limits"
                    + " effective_limits daily_budget_micro monthly_budget_micro spend last_used_at"
                    + " version")
                .split(" ", -1));
    assertThat(key.path("created_by").toString())
        .isEqualTo(
            "{\"kind\":\"user\",\"id\":\"%s\",\"name\":\"owner-of-%s\"}"
                .formatted(owner.id(), org));
    assertThat(key.path("expires_at").asText()).isEqualTo("2099-01-01T00:00:00.000Z");
    assertThat(key.at("/limits/requests_per_minute").asInt()).isEqualTo(7);
    assertThat(key.at("/effective_limits/concurrency").asInt()).isPositive();
    assertThat(key.at("/spend/daily_resets_at").asText()).endsWith("T00:00:00.000Z");

    Reply shown = developer.get(keys + "/" + id);
    assertThat(shown.json()).isEqualTo(key);
    assertThat(shown.header("etag")).isEqualTo("\"1\"");
    assertThat(shown.header("cache-control")).isEqualTo("no-store");
  }

  @Test
  void aKeyIsChangedAndRevoked() throws Exception {
    String id = make(owner, "ci");
    String change = "{\"daily_budget_micro\":null,\"monthly_budget_micro\":1000000}";
    Reply changed = owner.patch(keys + "/" + id, change, "If-Match: \"1\"");
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.json().path("daily_budget_micro").isNull()).isTrue();
    assertThat(changed.json().path("monthly_budget_micro").asLong()).isEqualTo(1_000_000);
    assertThat(changed.header("etag")).isEqualTo("\"2\"");
    Reply stale = owner.patch(keys + "/" + id, change, "If-Match: \"1\"");
    assertThat(stale.refusal()).isEqualTo("409 conflict version");
    assertThat(stale.json().at("/error/details/current_version").asInt()).isEqualTo(2);

    assertThat(owner.post(keys + "/" + id + "/disable").json().path("state").asText())
        .isEqualTo("disabled");
    assertThat(owner.post(keys + "/" + id + "/enable").json().path("state").asText())
        .isEqualTo("active");
    Reply revoked = owner.post(keys + "/" + id + "/revoke", "{\"reason\":\"lost\"}");
    assertThat(revoked.json().path("state").asText()).isEqualTo("revoked");
    assertThat(revoked.json().path("revoked_at").asText()).endsWith("Z");
    assertThat(owner.post(keys + "/" + id + "/revoke").status()).isEqualTo(200);
    assertThat(owner.post(keys + "/" + id + "/enable").refusal()).isEqualTo("409 conflict");
    assertThat(owner.post(keys + "/" + id + "/rotate", "{}").refusal()).isEqualTo("409 conflict");
    assertThat(owner.patch(keys + "/" + id, change).refusal()).isEqualTo("409 conflict");
    assertThat(control.auditOfIds(org))
        .containsExactly(
            "user key.create " + id,
            "user key.update " + id,
            "user key.disable " + id,
            "user key.enable " + id,
            "user key.revoke " + id);
  }

  @Test
  void keysAreListedByPageFilterAndOrder() throws Exception {
    String first = make(owner, "alpha");
    make(developer, "beta");
    make(developer, "gamma");
    owner.post(keys + "/" + first + "/revoke");

    Reply all = developer.get(keys + "?limit=1");
    assertThat(names(all.json())).containsExactly("gamma");
    assertThat(all.json().path("total").asInt()).isEqualTo(2);
    assertThat(all.json().path("max").asInt()).isEqualTo(4);
    String cursor = all.json().path("next_cursor").asText();
    Reply rest = developer.get(keys + "?limit=1&cursor=" + cursor);
    assertThat(names(rest.json())).containsExactly("beta");
    assertThat(rest.json().path("next_cursor").isNull()).isTrue();
    assertThat(developer.get(keys + "?q=x&cursor=" + cursor).refusal())
        .isEqualTo("400 validation_failed cursor");

    assertThat(names(owner.get(keys + "?state=revoked").json())).containsExactly("alpha");
    assertThat(names(owner.get(keys + "?state=revoked&state=active&sort=spend").json())).hasSize(3);
    assertThat(names(owner.get(keys + "?q=be&sort=last_used").json())).containsExactly("beta");
    assertThat(names(owner.get(keys + "?created_by=" + developer.id()).json()))
        .containsExactly("gamma", "beta");
    Reply refused = owner.get(keys + "?state=lost&sort=up&x=1");
    assertThat(refused.refusal()).isEqualTo("400 validation_failed x");
    assertThat(refused.json().at("/error/details/issues").toString()).contains("\"sort\"", "\"x\"");
    assertThat(owner.get(keys + "?state=lost").json().at("/error/param").asText())
        .isEqualTo("state");
  }

  @Test
  void aRotationGivesTheSecretOnce() throws Exception {
    String id = make(owner, "a");
    Reply rotated = owner.post(keys + "/" + id + "/rotate", "{}");
    assertThat(rotated.status()).isEqualTo(200);
    String next = rotated.json().at("/key/id").asText();
    assertThat(rotated.json().path("secret").asText()).startsWith("sk-llm-" + next);
    assertThat(rotated.json().at("/old/id").asText()).isEqualTo(id);
    assertThat(rotated.json().at("/old/revoked_at").asText()).endsWith("Z");
    JsonNode old = owner.get(keys + "/" + id).json();
    assertThat(old.path("state").asText()).isEqualTo("revoked");
    assertThat(old.path("replaced_by").asText()).isEqualTo(next);
    assertThat(control.auditOfIds(org)).contains("user key.rotate " + id);
  }

  @Test
  void aRepeatedCreationMakesOneKeyAndShowsNoSecret() throws Exception {
    Reply first = owner.post(keys, "{\"name\":\"a\"}", "Idempotency-Key: k");
    Reply again = owner.post(keys, "{\"name\":\"a\"}", "Idempotency-Key: k");
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.header("idempotent-replayed")).isEqualTo("true");
    assertThat(again.json().path("key")).isEqualTo(first.json().path("key"));
    assertThat(again.json().path("secret").isNull()).isTrue();
    assertThat(again.json().path("secret_shown").asBoolean()).isTrue();
    assertThat(owner.post(keys, "{\"name\":\"b\"}", "Idempotency-Key: k").refusal())
        .isEqualTo("409 idempotency_conflict");
    assertThat(owner.get(keys).json().path("total").asInt()).isOne();
  }

  @Test
  void whatNoKeyCanHaveIsRefused() throws Exception {
    Reply refused =
        owner.post(
            keys,
            """
            {"name":" ","allowed_models":["test/none","none/*"],"allowed_ips":["10.0.0.0/99"],
             "limits":{"concurrency":-1}}""");
    assertThat(refused.refusal()).isEqualTo("400 validation_failed name");
    List<String> params = new ArrayList<>();
    refused
        .json()
        .at("/error/details/issues")
        .forEach(issue -> params.add(issue.path("param").asText()));
    assertThat(params)
        .containsExactlyInAnyOrder(
            "name",
            "allowed_models[0]",
            "allowed_models[1]",
            "allowed_ips[0]",
            "limits.concurrency");
    assertThat(
            owner
                .post(keys, "{\"name\":\"a\",\"allowed_models\":[\"test/none\"],\"force\":true}")
                .status())
        .isEqualTo(201);
    Reply pattern = owner.post(keys, "{\"name\":\"p\",\"allowed_models\":[\"test/*\"]}");
    assertThat(pattern.status()).isEqualTo(201);
    assertThat(pattern.json().at("/key/allowed_models")).hasToString("[\"test/*\"]");
    Reply past = owner.post(keys, "{\"name\":\"a\",\"expires_at\":\"2020-01-01T00:00:00Z\"}");
    assertThat(past.json().at("/error/param").asText()).isEqualTo("expires_at");
    assertThat(owner.post(keys, "{\"name\":\"a\",\"budget\":1}").json().at("/error/param").asText())
        .isEqualTo("budget");
    Reply wordy =
        owner.post(
            keys + "/" + make(owner, "w") + "/revoke", "{\"reason\":\"" + "x".repeat(501) + "\"}");
    assertThat(wordy.json().at("/error/param").asText()).isEqualTo("reason");
    make(owner, "c");
    Reply full = owner.post(keys, "{\"name\":\"e\"}");
    assertThat(full.refusal()).isEqualTo("409 max_api_keys_reached");
    assertThat(full.json().at("/error/details/max").asInt()).isEqualTo(4);
  }

  @Test
  void membersChangeWhatTheirRoleAllows() throws Exception {
    String theirs = make(owner, "a");
    String own = make(developer, "b");
    String change = "{\"note\":\"x\"}";
    assertThat(developer.patch(keys + "/" + theirs, change).refusal()).isEqualTo("403 forbidden");
    assertThat(developer.patch(keys + "/" + own, change).status()).isEqualTo(200);
    for (String verb : List.of("rotate", "disable", "enable", "revoke")) {
      assertThat(developer.post(keys + "/" + theirs + "/" + verb).refusal())
          .as(verb)
          .isEqualTo("403 forbidden");
    }
    Client viewer = control.member(org, Role.VIEWER);
    assertThat(viewer.get(keys).status()).isEqualTo(200);
    assertThat(viewer.post(keys, "{\"name\":\"a\"}").refusal()).isEqualTo("403 forbidden");
    control.update(
        "UPDATE organization SET developers_create = false, key_daily_max_micro = 5 WHERE id = ?",
        org.value());
    assertThat(developer.post(keys, "{\"name\":\"c\"}").refusal())
        .isEqualTo("403 forbidden developers_may_not_create");
    Reply over = developer.patch(keys + "/" + own, "{\"daily_budget_micro\":6}");
    assertThat(over.refusal()).isEqualTo("400 validation_failed daily_budget_micro over_policy");
  }

  @Test
  void aSuspendedOrganizationOnlyTakesAway() throws Exception {
    String id = make(owner, "a");
    control.update("UPDATE organization SET state = 'suspended' WHERE id = ?", org.value());
    String refused = "403 forbidden organization_suspended";
    assertThat(owner.post(keys, "{\"name\":\"b\"}").refusal()).isEqualTo(refused);
    assertThat(owner.patch(keys + "/" + id, "{\"note\":null}").refusal()).isEqualTo(refused);
    assertThat(owner.post(keys + "/" + id + "/rotate").refusal()).isEqualTo(refused);
    assertThat(owner.post(keys + "/" + id + "/enable").refusal()).isEqualTo(refused);
    assertThat(owner.post(keys + "/" + id + "/disable").status()).isEqualTo(200);
    assertThat(owner.post(keys + "/" + id + "/revoke").status()).isEqualTo(200);
    assertThat(owner.get(keys).status()).isEqualTo(200);
  }

  @Test
  void foreignAndUnknownKeysAreTheSame() throws Exception {
    OrgId other = control.org();
    Client stranger = control.member(other, Role.OWNER);
    String foreign =
        stranger.post("/orgs/" + other + "/keys", "{\"name\":\"a\"}").json().at("/key/id").asText();
    for (String path : List.of("", "/rotate", "/disable", "/enable", "/revoke")) {
      String method = path.isEmpty() ? "GET" : "POST";
      assertThat(text(owner.call(method, keys + "/" + foreign + path, "")))
          .isEqualTo(text(owner.call(method, keys + "/zzzzzzzz" + path, "")))
          .startsWith("404 ");
    }
    assertThat(owner.patch(keys + "/" + foreign, "{}").refusal()).isEqualTo("404 not_found");
    Reply copy = owner.post(keys, "{\"name\":\"a\",\"copy_of\":\"%s\"}".formatted(foreign));
    assertThat(copy.json().at("/error/param").asText()).isEqualTo("copy_of");
    assertThat(stranger.get(keys).refusal()).isEqualTo("404 not_found");
    assertThat(control.auditOfIds(org)).isEmpty();
  }

  private static String text(Reply reply) {
    return reply.status() + " " + reply.raw().text().replaceAll("req_\\w+", "req");
  }
}
