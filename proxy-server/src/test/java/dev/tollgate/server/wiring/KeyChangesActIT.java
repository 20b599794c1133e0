package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.wiring.TestControlPlane.Client;
import dev.tollgate.server.wiring.TestControlPlane.Reply;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is changed in the control plane acts on requests of the API soon. */
final class KeyChangesActIT {
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final int REQUESTS_MAX = 100;

  /** A request may cost 1 USD, and costs some thousands of micro-USD. */
  private static final String PRICED =
      """
        test/priced:
          modality: chat
          price: { input: "0", output: "1000" }
          routes: [ { provider: mock, model: chat } ]
      limits: { key: { requests_per_second: 0, requests_per_minute: 0 } }
      """;

  private static TestControlPlane control;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    control = TestControlPlane.start(folder, PRICED);
  }

  @AfterAll
  static void close() {
    control.close();
  }

  private static OrgId fundedOrg() throws Exception {
    OrgId org = control.org();
    var amount = new MicroUsd(1_000_000_000);
    control.store().credits().grant(org, amount, "start:" + org, "test");
    return org;
  }

  /** Sends requests until one is answered as expected, and fails if that is not soon. */
  private static void awaitChat(String secret, String expected) throws Exception {
    long began = System.nanoTime();
    String seen = control.chat(secret, "test/priced");
    while (!seen.equals(expected) && System.nanoTime() - began < SOON.toNanos()) {
      seen = control.chat(secret, "test/priced");
    }
    assertThat(seen).isEqualTo(expected);
  }

  /** A charge is settled a moment after its reply. */
  private static void awaitSpent(Client owner, String key) throws Exception {
    long began = System.nanoTime();
    long spentMicro = 0;
    while (spentMicro == 0 && System.nanoTime() - began < SOON.toNanos()) {
      spentMicro = owner.get(key).json().at("/spend/today_micro").asLong();
    }
    assertThat(spentMicro).isPositive();
  }

  private static void spendAll(String secret, String refusal) throws Exception {
    String seen = control.chat(secret, "test/priced");
    assertThat(seen).as("the first request is within the limit").isEqualTo("200");
    for (int i = 0; i < REQUESTS_MAX && seen.equals("200"); i++) {
      seen = control.chat(secret, "test/priced");
    }
    assertThat(seen).isEqualTo(refusal);
  }

  @Test
  void aBudgetThatIsReachedIsRaisedAndAKeyIsRevoked() throws Exception {
    OrgId org = fundedOrg();
    Client owner = control.member(org, Role.OWNER);
    String keys = "/orgs/" + org + "/keys";
    Reply made = owner.post(keys, "{\"name\":\"a\",\"daily_budget_micro\":1010000}");
    String secret = made.json().path("secret").asText();
    String key = keys + "/" + made.json().at("/key/id").asText();

    spendAll(secret, "402 budget_exceeded");
    awaitSpent(owner, key);

    assertThat(owner.patch(key, "{\"daily_budget_micro\":100000000}").status()).isEqualTo(200);
    awaitChat(secret, "200");

    owner.post(key + "/disable");
    awaitChat(secret, "401 key_disabled");
    owner.post(key + "/enable");
    awaitChat(secret, "200");

    Reply rotated = owner.post(key + "/rotate");
    String next = rotated.json().path("secret").asText();
    awaitChat(secret, "401 key_revoked");
    awaitChat(next, "200");

    owner.post(keys + "/" + rotated.json().at("/key/id").asText() + "/revoke");
    awaitChat(next, "401 key_revoked");
  }
}
