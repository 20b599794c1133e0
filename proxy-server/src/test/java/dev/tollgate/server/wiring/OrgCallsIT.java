package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

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

/** Calls of organizations, through the listener of a whole gateway. */
final class OrgCallsIT {
  private static TestControlPlane control;
  private static Client operator;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    control = TestControlPlane.start(folder);
    operator = control.person("op", true);
  }

  @AfterAll
  static void stop() {
    control.close();
  }

  @Test
  void operatorsMakeOrganizationsWhileSignUpIsByInvitation() throws Exception {
    Reply made =
        operator.post("/orgs", "{'name':'fresh','display_name':'Fresh'}", "Idempotency-Key: f1");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.members())
        .containsExactly(
            "id",
            "name",
            "display_name",
            "state",
            "created_at",
            "keys",
            "monthly_limit_micro",
            "monthly_limit_cap_micro",
            "key_policy",
            "version");
    assertThat(made.json().at("/keys").toString()).isEqualTo("{\"count\":0,\"max\":100}");
    assertThat(made.json().at("/key_policy").toString())
        .isEqualTo(
            "{\"developers_create\":true,\"daily_budget_max_micro\":null,"
                + "\"monthly_budget_max_micro\":null,\"days_max\":null}");
    assertThat(made.header("etag")).isEqualTo("\"" + made.json().path("version").asInt() + "\"");
    OrgId org = new OrgId(UUID.fromString(made.json().path("id").asText()));
    assertThat(control.audit(org)).containsExactly("user org.create fresh");

    Reply again =
        operator.post("/orgs", "{'name':'fresh','display_name':'Fresh'}", "Idempotency-Key: f1");
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.header("idempotent-replayed")).isEqualTo("true");
    assertThat(again.json()).isEqualTo(made.json());
    assertThat(operator.post("/orgs", "{'name':'fresh'}").refusal())
        .isEqualTo("409 conflict name_taken");
    assertThat(operator.post("/orgs", "{'name':' '}").refusal())
        .isEqualTo("400 validation_failed name");

    Reply mine = operator.get("/orgs");
    assertThat(mine.json().at("/data/0/name").asText()).isEqualTo("fresh");
    assertThat(mine.json().at("/data/0/role").asText()).isEqualTo("owner");
    Client other = control.member(org, "fresh-admin", Role.ADMIN);
    assertThat(other.post("/orgs", "{'name':'more'}").refusal()).isEqualTo("403 forbidden");
    Client token = control.token(org, other);
    assertThat(token.post("/orgs", "{'name':'more'}").refusal())
        .isEqualTo("403 forbidden not_a_person");
    assertThat(token.get("/orgs").json().path("total").asInt()).isZero();
    assertThat(control.anonymous().get("/orgs").refusal()).isEqualTo("401 unauthenticated");
  }

  @Test
  void namesAndPolicyAreChangedWithTheVersionThatWasSeen() throws Exception {
    OrgId org = control.org("acme");
    Client owner = control.member(org, "acme-owner", Role.OWNER);
    Client viewer = control.member(org, "acme-viewer", Role.VIEWER);
    String path = "/orgs/" + org;
    int version = viewer.get(path).json().path("version").asInt();
    assertThat(viewer.patch(path, "{'display_name':'X'}").refusal()).isEqualTo("403 forbidden");

    Reply changed =
        owner.patch(
            path,
            "{'display_name':'Acme','key_policy':{'daily_budget_max_micro':5000000}}",
            "If-Match: \"" + version + "\"");
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.json().path("display_name").asText()).isEqualTo("Acme");
    assertThat(changed.json().at("/key_policy/daily_budget_max_micro").asLong())
        .isEqualTo(5_000_000);
    assertThat(control.audit(org)).containsExactly("user org.update acme");
    Reply stale = owner.patch(path, "{'display_name':null}", "If-Match: \"" + version + "\"");
    assertThat(stale.refusal()).isEqualTo("409 conflict version");
    assertThat(stale.json().at("/error/details/current_version").asInt())
        .isEqualTo(changed.json().path("version").asInt());
    assertThat(owner.patch(path, "{'display_name':null}").json().path("display_name").isNull())
        .isTrue();
    assertThat(owner.patch(path, "{'key_policy':{'days':1}}").refusal())
        .isEqualTo("400 validation_failed key_policy.days");
    control.suspend(org);
    assertThat(owner.patch(path, "{'display_name':'Acme'}").status()).isEqualTo(200);
    Client stranger = control.person("acme-stranger", false);
    assertThat(stranger.patch(path, "{'display_name':'X'}").refusal()).isEqualTo("404 not_found");
    assertThat(stranger.get("/orgs/none").refusal()).isEqualTo("404 not_found");
  }

  @Test
  void anOwnerWithAFreshProofClosesAnOrganization() throws Exception {
    OrgId org = control.org("ending");
    Client owner = control.member(org, "ending-owner", Role.OWNER);
    Client admin = control.member(org, "ending-admin", Role.ADMIN);
    String path = "/orgs/" + org;
    assertThat(admin.delete(path).refusal()).isEqualTo("403 forbidden");
    assertThat(control.token(org, admin).delete(path).refusal())
        .isEqualTo("403 forbidden not_a_person");
    Client late = control.member(org, "ending-late", Role.OWNER).withOldProof();
    assertThat(late.delete(path).refusal()).isEqualTo("403 forbidden reauthentication_required");

    assertThat(owner.delete(path).status()).isEqualTo(204);
    assertThat(control.audit(org)).containsExactly("user org.close ending");
    assertThat(admin.get(path).json().path("state").asText()).isEqualTo("closed");
    assertThat(owner.delete(path).status()).isEqualTo(204);
  }

  @Test
  void theLastOwnerStaysAndOthersLeave() throws Exception {
    OrgId org = control.org("leaving");
    Client owner = control.member(org, "leaving-owner", Role.OWNER);
    Client viewer = control.member(org, "leaving-viewer", Role.VIEWER);
    String path = "/orgs/" + org + "/leave";
    assertThat(owner.post(path, "").refusal()).isEqualTo("409 conflict last_owner");
    assertThat(operator.post(path, "").refusal()).isEqualTo("404 not_found");
    assertThat(control.token(org, owner).post(path, "").refusal())
        .isEqualTo("403 forbidden not_a_person");
    assertThat(viewer.post(path, "").status()).isEqualTo(204);
    assertThat(control.audit(org))
        .containsExactly("user member.leave leaving-viewer@people.example");
    assertThat(viewer.post(path, "").refusal()).isEqualTo("404 not_found");
  }
}
