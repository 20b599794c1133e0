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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The calls of the secret that signs webhooks over HTTP, and the mail of a new one. */
final class WebhookSecretCallsIT {
  private static TestControlPlane control;
  private OrgId org;
  private Client owner;
  private String secret;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    control = TestControlPlane.start(folder);
  }

  @AfterAll
  static void close() {
    control.close();
  }

  @BeforeEach
  void people() throws Exception {
    org = control.org();
    owner = control.member(org, Role.OWNER);
    secret = "/orgs/" + org + "/webhooks/secret";
  }

  @Test
  void theSecretIsRevealedAndReplaced() throws Exception {
    Client viewer = control.member(org, Role.VIEWER);
    Reply info = viewer.get(secret);
    assertThat(info.status()).isEqualTo(200);
    assertThat(info.json().path("created_at").asText()).endsWith("Z");
    assertThat(info.json().path("previous_until").isNull()).isTrue();
    assertThat(info.json().path("sealed").isBoolean()).isTrue();
    assertThat(info.json()).hasSize(3);

    Reply revealed = owner.post(secret + "/reveal");
    String before = revealed.json().path("secret").asText();
    assertThat(before).startsWith("whsec_");
    Reply rotated = owner.post(secret + "/rotate", "{\"keep_seconds\":3600}");
    assertThat(rotated.status()).isEqualTo(200);
    String after = rotated.json().path("secret").asText();
    assertThat(after).startsWith("whsec_").isNotEqualTo(before);
    assertThat(rotated.json().path("previous_until").asText()).endsWith("Z");
    assertThat(owner.post(secret + "/reveal").json().path("secret").asText()).isEqualTo(after);
    assertThat(viewer.get(secret).json().path("previous_until"))
        .isEqualTo(rotated.json().path("previous_until"));
    Reply alone = owner.post(secret + "/rotate", "{\"keep_seconds\":0}");
    assertThat(alone.json().path("previous_until").isNull()).isTrue();
    assertThat(owner.post(secret + "/rotate").status()).as("a day").isEqualTo(200);
    assertThat(control.awaitMails("webhook-secret-rotated", owner.email(), 3)).hasSize(3);
    assertThat(control.auditOfIds(org))
        .containsExactly(
            "user webhook.secret_reveal " + org,
            "user webhook.secret_rotate " + org,
            "user webhook.secret_reveal " + org,
            "user webhook.secret_rotate " + org,
            "user webhook.secret_rotate " + org);
    String written =
        control
            .rows(
                "SELECT string_agg(changes::text, '') FROM audit_event WHERE org_id = ?",
                org.value())
            .toString();
    assertThat(written).doesNotContain("whsec_");
  }

  @Test
  void whoMayDoWhat() throws Exception {
    Client developer = control.member(org, Role.DEVELOPER);
    assertThat(developer.post(secret + "/reveal").status()).isEqualTo(200);
    assertThat(developer.post(secret + "/rotate").refusal()).isEqualTo("403 forbidden");
    Client billing = control.member(org, Role.BILLING);
    assertThat(billing.post(secret + "/reveal").refusal()).isEqualTo("403 forbidden");
    assertThat(
            owner
                .post(secret + "/rotate", "{\"keep_seconds\":604801}")
                .json()
                .at("/error/param")
                .asText())
        .isEqualTo("keep_seconds");
    assertThat(owner.post(secret + "/rotate", "{\"keep\":1}").refusal())
        .isEqualTo("400 validation_failed keep");
    control.update("UPDATE organization SET state = 'suspended' WHERE id = ?", org.value());
    assertThat(owner.post(secret + "/reveal").status()).isEqualTo(200);
    owner.withOldProof();
    String refused = "403 forbidden reauthentication_required";
    assertThat(owner.post(secret + "/reveal").refusal()).isEqualTo(refused);
    assertThat(owner.post(secret + "/rotate").refusal()).isEqualTo(refused);
    assertThat(control.member(control.org(), Role.OWNER).get(secret).refusal())
        .isEqualTo("404 not_found");
    assertThat(owner.get("/orgs/" + UUID.randomUUID() + "/webhooks/secret").refusal())
        .isEqualTo("404 not_found");
  }
}
