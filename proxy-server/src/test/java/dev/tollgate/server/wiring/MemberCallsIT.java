package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.wiring.TestControlPlane.Client;
import dev.tollgate.server.wiring.TestControlPlane.Reply;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls of members and invitations, through the listener of a whole gateway. */
final class MemberCallsIT {
  private static TestControlPlane control;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    control = TestControlPlane.start(folder);
  }

  @AfterAll
  static void stop() {
    control.close();
  }

  private static String members(OrgId org) {
    return "/orgs/" + org + "/members";
  }

  private static String invitations(OrgId org) {
    return "/orgs/" + org + "/invitations";
  }

  @Test
  void membersAreListedForEachMember() throws Exception {
    OrgId org = control.org("listed");
    Client owner = control.member(org, "listed-owner", Role.OWNER);
    Client viewer = control.member(org, "listed-viewer", Role.VIEWER);
    Reply list = viewer.get(members(org));
    assertThat(list.json().path("total").asInt()).isEqualTo(2);
    Reply first = new Reply(list.raw(), list.json().at("/data/0"));
    assertThat(first.members())
        .containsExactly("user", "role", "joined_at", "last_seen_at", "totp", "keys", "version");
    assertThat(first.json().at("/user/id").asText()).isEqualTo(owner.id().toString());
    assertThat(first.json().at("/user/email").asText()).isEqualTo("listed-owner@people.example");
    assertThat(first.json().at("/user/state").asText()).isEqualTo("active");
    assertThat(first.json().path("role").asText()).isEqualTo("owner");
    assertThat(control.person("listed-not", false).get(members(org)).refusal())
        .isEqualTo("404 not_found");
  }

  @Test
  void rolesAreChangedBelowOwnerByAdminsAndOwnersByOwners() throws Exception {
    OrgId org = control.org("roles");
    Client owner = control.member(org, "roles-owner", Role.OWNER);
    Client second = control.member(org, "roles-second", Role.OWNER);
    Client admin = control.member(org, "roles-admin", Role.ADMIN);
    Client developer = control.member(org, "roles-dev", Role.DEVELOPER);
    String dev = members(org) + "/" + developer.id();
    assertThat(developer.patch(dev, "{'role':'admin'}").refusal()).isEqualTo("403 forbidden");
    assertThat(control.token(org, admin).patch(dev, "{'role':'viewer'}").refusal())
        .isEqualTo("403 forbidden not_a_person");
    assertThat(admin.patch(dev, "{'role':'owner'}").refusal()).isEqualTo("403 forbidden");
    assertThat(admin.patch(members(org) + "/" + second.id(), "{'role':'admin'}").refusal())
        .isEqualTo("403 forbidden");
    assertThat(admin.patch(dev, "{'role':'boss'}").refusal())
        .isEqualTo("400 validation_failed role");

    Reply changed = admin.patch(dev, "{'role':'viewer'}");
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.json().path("role").asText()).isEqualTo("viewer");
    assertThat(control.audit(org)).containsExactly("user member.role roles-dev@people.example");
    assertThat(developer.get(members(org)).header("set-cookie")).startsWith("tollgate_session=");
    assertThat(admin.patch(dev, "{'role':'billing'}", "If-Match: \"99\"").refusal())
        .isEqualTo("409 conflict version");
    assertThat(owner.patch(members(org) + "/" + second.id(), "{'role':'admin'}").status())
        .isEqualTo(200);
    assertThat(owner.patch(members(org) + "/" + owner.id(), "{'role':'admin'}").refusal())
        .isEqualTo("409 conflict last_owner");
    control.suspend(org);
    assertThat(owner.patch(dev, "{'role':'admin'}").refusal())
        .isEqualTo("403 forbidden organization_suspended");
  }

  @Test
  void membersAreRemovedWithAFreshProof() throws Exception {
    OrgId org = control.org("removal");
    Client owner = control.member(org, "removal-owner", Role.OWNER);
    Client admin = control.member(org, "removal-admin", Role.ADMIN);
    Client viewer = control.member(org, "removal-viewer", Role.VIEWER);
    Client late = control.member(org, "removal-late", Role.ADMIN).withOldProof();
    String path = members(org) + "/" + viewer.id();
    assertThat(late.delete(path).refusal()).isEqualTo("403 forbidden reauthentication_required");
    assertThat(late.patch(path, "{'role':'admin'}").refusal())
        .isEqualTo("403 forbidden reauthentication_required");
    assertThat(admin.delete(members(org) + "/" + owner.id()).refusal()).isEqualTo("403 forbidden");
    assertThat(owner.delete(members(org) + "/" + owner.id()).refusal())
        .isEqualTo("409 conflict last_owner");
    assertThat(admin.delete(path).status()).isEqualTo(204);
    assertThat(control.audit(org))
        .containsExactly("user member.remove removal-viewer@people.example");
    assertThat(admin.delete(path).refusal()).isEqualTo("404 not_found");
    assertThat(admin.delete(members(org) + "/x").refusal()).isEqualTo("404 not_found");
    assertThat(viewer.get(members(org)).refusal()).isEqualTo("404 not_found");
  }

  @Test
  void withoutAMailServerTheCallerGetsTheLinkOfAnInvitation() throws Exception {
    OrgId org = control.org("guests");
    Client owner = control.member(org, "guests-owner", Role.OWNER);
    Client admin = control.member(org, "guests-admin", Role.ADMIN);
    String body = "{'email':'guest@people.example','role':'developer'}";
    Reply made = admin.post(invitations(org), body, "Idempotency-Key: i1");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.members())
        .containsExactly(
            "id", "email", "role", "created_at", "expires_at", "invited_by", "invite_url");
    assertThat(made.json().path("invite_url").asText())
        .startsWith(control.gateway().greeting().controlUrl() + "/invite#");
    assertThat(made.json().path("invited_by").asText()).isEqualTo("guests-admin");
    assertThat(control.audit(org)).containsExactly("user invitation.create guest@people.example");

    Reply again = admin.post(invitations(org), body, "Idempotency-Key: i1");
    assertThat(again.header("idempotent-replayed")).isEqualTo("true");
    assertThat(again.json().path("id")).isEqualTo(made.json().path("id"));
    assertThat(again.json().path("invite_url").isNull()).isTrue();
    assertThat(again.json().path("secret_shown").asBoolean()).isTrue();
    String secret = made.json().path("invite_url").asText().split("#", 2)[1];
    assertThat(
            control.rows(
                "SELECT key FROM control_idempotency WHERE strpos(response, ?) > 0", secret))
        .isEmpty();

    String one = invitations(org) + "/" + made.json().path("id").asText();
    Reply sent = admin.post(one + "/resend", "");
    assertThat(sent.status()).isEqualTo(202);
    assertThat(sent.json().path("invite_url").asText()).contains("#").doesNotContain(secret);
    Reply list = admin.get(invitations(org));
    assertThat(list.json().path("total").asInt()).isOne();
    assertThat(list.json().at("/data/0/invite_url").isNull()).isTrue();
    assertThat(control.token(org, admin).get(invitations(org)).status()).isEqualTo(200);
    assertThat(admin.delete(one).status()).isEqualTo(204);
    assertThat(admin.delete(one).refusal()).isEqualTo("404 not_found");
    assertThat(control.audit(org))
        .startsWith(
            "user invitation.revoke guest@people.example",
            "user invitation.resend guest@people.example");
    assertThat(owner.post(invitations(org), body.replace("developer", "owner")).status())
        .isEqualTo(201);
  }

  @Test
  void invitationsAreRefusedAsMembersAre() throws Exception {
    OrgId org = control.org("refused");
    Client owner = control.member(org, "refused-owner", Role.OWNER);
    Client admin = control.member(org, "refused-admin", Role.ADMIN);
    Client developer = control.member(org, "refused-dev", Role.DEVELOPER);
    String path = invitations(org);
    assertThat(developer.get(path).refusal()).isEqualTo("403 forbidden");
    assertThat(developer.post(path, "{'email':'g@x.example','role':'viewer'}").refusal())
        .isEqualTo("403 forbidden");
    assertThat(admin.post(path, "{'email':'g@x.example','role':'owner'}").refusal())
        .isEqualTo("403 forbidden");
    assertThat(
            control
                .token(org, admin)
                .post(path, "{'email':'g@x.example','role':'viewer'}")
                .refusal())
        .isEqualTo("403 forbidden not_a_person");
    assertThat(admin.post(path, "{'email':'refused-dev@people.example','role':'viewer'}").refusal())
        .isEqualTo("409 conflict already_member");
    assertThat(admin.post(path, "{'email':'none','role':'viewer'}").refusal())
        .isEqualTo("400 validation_failed email");
    String kept =
        path
            + "/"
            + owner
                .post(path, "{'email':'k@x.example','role':'viewer'}")
                .json()
                .path("id")
                .asText();
    control.suspend(org);
    assertThat(owner.post(path, "{'email':'g@x.example','role':'viewer'}").refusal())
        .isEqualTo("403 forbidden organization_suspended");
    assertThat(owner.post(kept + "/resend", "").refusal())
        .isEqualTo("403 forbidden organization_suspended");
    assertThat(owner.delete(kept).status()).isEqualTo(204);
  }
}
