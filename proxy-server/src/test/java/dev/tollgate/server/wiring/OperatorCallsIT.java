package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.wiring.TestControlPlane.Client;
import dev.tollgate.server.wiring.TestControlPlane.Reply;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls of operators and of the audit log, through the listener of a whole gateway. */
final class OperatorCallsIT {
  private static final String ORGS = "/operator/orgs";
  private static final String USERS = "/operator/users";

  private static TestControlPlane control;
  private static Client operator;
  private static Client platform;
  private static Client late;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    control = TestControlPlane.start(folder);
    operator = control.person("op", true);
    platform = control.token(null, operator);
    late = control.person("op-late", true).withOldProof();
  }

  @AfterAll
  static void stop() {
    control.close();
  }

  @Test
  void anOrganizationIsMadeWithAnInvitationForItsOwner() throws Exception {
    String body =
        "{'name':'globex','owner_email':'o@people.example','monthly_limit_cap_micro':9000000}";
    Reply made = operator.post(ORGS, body, "Idempotency-Key: x1");
    assertThat(made.status()).isEqualTo(201);
    JsonNode org = made.json().path("organization");
    assertThat(org.path("monthly_limit_micro").asLong()).isEqualTo(9_000_000);
    String link = made.json().path("invite_url").asText();
    assertThat(link).contains("/invite#");
    OrgId id = new OrgId(UUID.fromString(org.path("id").asText()));
    assertThat(control.audit(id))
        .containsExactly("user invitation.create o@people.example", "user org.create globex");
    assertThat(operator.get("/orgs/" + id + "/invitations").json().at("/data/0/role").asText())
        .isEqualTo("owner");
    Reply again = operator.post(ORGS, body, "Idempotency-Key: x1");
    assertThat(again.json().path("organization")).isEqualTo(org);
    assertThat(again.json().path("invite_url").isNull()).isTrue();
    assertThat(operator.post(ORGS, body).refusal()).isEqualTo("409 conflict name_taken");
    assertThat(operator.post(ORGS, "{'name':'x','owner_email':'none'}").refusal())
        .isEqualTo("400 validation_failed owner_email");
    assertThat(platform.post(ORGS, "{'name':'by-token'}").status()).isEqualTo(201);
    Client owner = control.member(id, "globex-owner", Role.OWNER);
    assertThat(owner.post(ORGS, body).refusal()).isEqualTo("403 forbidden");
    assertThat(control.token(id, owner).get(ORGS).refusal()).isEqualTo("403 forbidden");
  }

  @Test
  void organizationsAreListedWithTheirMoneyInPages() throws Exception {
    OrgId rich = control.org("list-b");
    OrgId poor = control.org("list-a");
    control.member(rich, "list-owner", Role.OWNER);
    String funding = "{'kind':'funding','amount_micro':5,'ref':'list','reason':'r'}";
    assertThat(operator.post(ORGS + "/" + rich + "/credits", funding).status()).isEqualTo(201);
    Reply first = operator.get(ORGS + "?q=list-&sort=balance&limit=1");
    JsonNode row = first.json().at("/data/0");
    assertThat(row.path("name").asText()).isEqualTo("list-b");
    assertThat(row.path("balance_micro").asLong()).isEqualTo(5);
    assertThat(row.path("month_micro").asLong()).isZero();
    assertThat(row.path("month_operator_cost_micro").asLong(-1)).isZero();
    assertThat(row.path("month_margin_micro").asLong(-1)).isZero();
    assertThat(row.path("owner").asText()).isEqualTo("list-owner@people.example");
    assertThat(row.at("/keys/max").asInt()).isEqualTo(100);
    String cursor = first.json().path("next_cursor").asText();
    Reply second = operator.get(ORGS + "?q=list-&sort=balance&limit=1&cursor=" + cursor);
    assertThat(second.json().at("/data/0/id").asText()).isEqualTo(poor.toString());
    assertThat(second.json().path("next_cursor").isNull()).isTrue();
    assertThat(operator.get(ORGS + "?q=list-&cursor=" + cursor).refusal())
        .isEqualTo("400 validation_failed cursor");
    assertThat(platform.get(ORGS + "?state=suspended").json().path("data")).isEmpty();
    assertThat(operator.get(ORGS + "?state=gone").refusal())
        .isEqualTo("400 validation_failed state");
    assertThat(operator.get(ORGS + "?sort=size").refusal()).isEqualTo("400 validation_failed sort");
    assertThat(control.anonymous().get(ORGS).refusal()).isEqualTo("401 unauthenticated");
  }

  @Test
  void anOrganizationIsSuspendedCappedAndOpenedAgain() throws Exception {
    OrgId org = control.org("states");
    Client owner = control.member(org, "states-owner", Role.OWNER);
    String path = ORGS + "/" + org;
    assertThat(owner.patch(path, "{'state':'suspended'}").refusal()).isEqualTo("403 forbidden");
    assertThat(late.patch(path, "{'state':'suspended'}").refusal())
        .isEqualTo("403 forbidden reauthentication_required");
    Reply changed = operator.patch(path, "{'state':'suspended','reason':'unpaid'}");
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.json().path("state").asText()).isEqualTo("suspended");
    assertThat(changed.header("etag"))
        .isEqualTo("\"" + changed.json().path("version").asInt() + "\"");
    assertThat(operator.patch(path, "{'state':'active'}", "If-Match: \"99\"").refusal())
        .isEqualTo("409 conflict version");
    assertThat(platform.patch(path, "{'state':'active'}").status()).isEqualTo(200);
    Reply capped = operator.patch(path, "{'monthly_limit_cap_micro':7,'max_api_keys':3}");
    assertThat(capped.json().path("monthly_limit_micro").asLong()).isEqualTo(7);
    assertThat(capped.json().at("/keys/max").asInt()).isEqualTo(3);
    assertThat(operator.patch(path, "{'state':'closed'}").refusal())
        .isEqualTo("400 validation_failed state");
    assertThat(owner.delete("/orgs/" + org).status()).isEqualTo(204);
    assertThat(operator.patch(path, "{'closed':false}").json().path("state").asText())
        .isEqualTo("active");
    assertThat(control.audit(org))
        .containsExactly(
            "operator org.reopen states",
            "user org.close states",
            "operator org.cap states",
            "token org.activate states",
            "operator org.suspend states");
    assertThat(operator.patch(ORGS + "/" + UUID.randomUUID(), "{}").refusal())
        .isEqualTo("404 not_found");
  }

  @Test
  void creditsAreBookedOnceForAReference() throws Exception {
    OrgId org = control.org("funded");
    OrgId other = control.org("funded-not");
    String path = ORGS + "/" + org + "/credits";
    String body = "{'kind':'funding','amount_micro':25000000,'ref':'inv-1','reason':'prepaid'}";
    assertThat(late.post(path, body).refusal())
        .isEqualTo("403 forbidden reauthentication_required");
    Reply booked = operator.post(path, body);
    assertThat(booked.status()).isEqualTo(201);
    assertThat(booked.members()).containsExactly("booked", "ref", "amount_micro", "balance_micro");
    assertThat(booked.json().path("balance_micro").asLong()).isEqualTo(25_000_000);
    Reply again = operator.post(path, body);
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.json().path("balance_micro").asLong()).isEqualTo(25_000_000);
    Reply found = operator.post(path, body, "Idempotency-Key: x5");
    assertThat(found.status()).isEqualTo(200);
    Reply replayed = operator.post(path, body, "Idempotency-Key: x5");
    assertThat(replayed.status()).isEqualTo(200);
    assertThat(replayed.header("idempotent-replayed")).isEqualTo("true");
    assertThat(replayed.json()).isEqualTo(found.json());
    assertThat(operator.post(path, body.replace("25000000", "26000000")).refusal())
        .isEqualTo("409 conflict");
    assertThat(operator.post(ORGS + "/" + other + "/credits", body).refusal())
        .isEqualTo("409 conflict");
    assertThat(control.audit(org)).containsExactly("operator credits.book funded");
    String refund = "{'kind':'refund','amount_micro':-5,'ref':'r-1','reason':'back'}";
    assertThat(platform.post(path, refund).status()).isEqualTo(201);
    assertThat(operator.post(path, refund.replace("-5", "5")).refusal())
        .isEqualTo("400 validation_failed amount_micro");
    assertThat(operator.post(path, refund.replace(",'reason':'back'", "")).refusal())
        .isEqualTo("400 validation_failed reason");
    assertThat(operator.post(ORGS + "/" + UUID.randomUUID() + "/credits", body).refusal())
        .isEqualTo("404 not_found");
    Client owner = control.member(org, "funded-owner", Role.OWNER);
    assertThat(owner.post(path, body).refusal()).isEqualTo("403 forbidden");
  }

  @Test
  void accountsAreListedSwitchedAndReset() throws Exception {
    Client person = control.person("switched", false);
    control.person("switched-too", false);
    String path = USERS + "/" + person.id();
    Reply first = operator.get(USERS + "?q=switched&limit=1");
    assertThat(new Reply(first.raw(), first.json().at("/data/0")).members())
        .contains("id", "email", "name", "state", "operator", "last_seen_at", "version");
    String cursor = first.json().path("next_cursor").asText();
    Reply second = operator.get(USERS + "?q=switched&limit=1&cursor=" + cursor);
    assertThat(second.json().at("/data/0/id").asText()).isEqualTo(person.id().toString());
    assertThat(second.json().path("next_cursor").isNull()).isTrue();
    assertThat(operator.get(USERS + "?operator=true&q=switched").json().path("data")).isEmpty();
    assertThat(platform.get(USERS).refusal()).isEqualTo("403 forbidden not_a_person");
    assertThat(person.get(USERS).refusal()).isEqualTo("403 forbidden");
    assertThat(operator.get(path).json().path("email").asText())
        .isEqualTo("switched@people.example");

    assertThat(late.patch(path, "{'state':'disabled'}").refusal())
        .isEqualTo("403 forbidden reauthentication_required");
    assertThat(operator.patch(path, "{'state':'closed'}").refusal())
        .isEqualTo("400 validation_failed state");
    assertThat(operator.patch(path, "{'operator':true}", "If-Match: \"99\"").refusal())
        .isEqualTo("409 conflict version");
    Reply disabled = operator.patch(path, "{'state':'disabled'}");
    assertThat(disabled.json().path("state").asText()).isEqualTo("disabled");
    assertThat(person.get("/orgs").refusal()).isEqualTo("403 account_disabled");
    assertThat(operator.patch(path, "{'state':'active','operator':true}").status()).isEqualTo(200);
    assertThat(operator.patch(path, "{'operator':false}").status()).isEqualTo(200);
    Reply reset = operator.post(path + "/reset-link", "");
    assertThat(reset.status()).isEqualTo(200);
    assertThat(reset.json().path("reset_url").asText()).contains("/reset#");
    assertThat(operator.delete(path + "/sessions").status()).isEqualTo(204);
    assertThat(person.get("/orgs").refusal()).isEqualTo("401 unauthenticated");
    String name = " switched@people.example";
    assertThat(control.platformAudit())
        .startsWith(
            "user session.revoke" + name,
            "user user.password_reset" + name,
            "user user.operator" + name,
            "user user.operator" + name,
            "user user.enable" + name,
            "user user.disable" + name);
    assertThat(operator.get(USERS + "/" + UUID.randomUUID()).refusal()).isEqualTo("404 not_found");
  }

  @Test
  void theAuditLogIsFilteredAndPaged() throws Exception {
    OrgId org = control.org("audited");
    Client owner = control.member(org, "audited-owner", Role.OWNER);
    Client viewer = control.member(org, "audited-viewer", Role.VIEWER);
    String path = "/orgs/" + org + "/audit";
    assertThat(owner.patch("/orgs/" + org, "{'display_name':'A'}").status()).isEqualTo(200);
    assertThat(operator.patch("/orgs/" + org, "{'display_name':'B'}").status()).isEqualTo(200);
    String member = "/orgs/" + org + "/members/" + viewer.id();
    assertThat(owner.patch(member, "{'role':'billing'}").status()).isEqualTo(200);

    Reply first = owner.get(path + "?action=org.update&limit=1");
    Reply row = new Reply(first.raw(), first.json().at("/data/0"));
    assertThat(row.members())
        .contains("id", "at", "actor", "action", "target", "changes", "ip", "request_id");
    assertThat(row.json().at("/actor/via").asText()).isEqualTo("operator");
    assertThat(row.json().at("/changes/0").toString())
        .isEqualTo("{\"field\":\"display_name\",\"from\":\"A\",\"to\":\"B\"}");
    assertThat(row.json().path("request_id").asText()).startsWith("req_");
    String cursor = first.json().path("next_cursor").asText();
    Reply second = owner.get(path + "?action=org.update&limit=1&cursor=" + cursor);
    assertThat(second.json().at("/data/0/actor/name").asText())
        .isEqualTo("audited-owner@people.example");
    assertThat(second.json().path("next_cursor").isNull()).isTrue();
    assertThat(owner.get(path + "?action=org.update&action=member.role").json().path("data"))
        .hasSize(3);
    assertThat(owner.get(path + "?target=" + viewer.id()).json().path("data")).hasSize(1);
    assertThat(owner.get(path + "?actor=op@people.example").json().path("data")).hasSize(1);
    assertThat(owner.get(path + "?from=2999-01-01T00:00:00Z").json().path("data")).isEmpty();
    assertThat(owner.get(path + "?from=now").refusal()).isEqualTo("400 validation_failed from");
    assertThat(owner.get(path + "?kind=x").refusal()).isEqualTo("400 validation_failed kind");
    assertThat(viewer.get(path).refusal()).isEqualTo("403 forbidden");
    assertThat(platform.get(path).status()).isEqualTo(200);
    assertThat(control.person("audited-not", false).get(path).refusal()).isEqualTo("404 not_found");
  }
}
