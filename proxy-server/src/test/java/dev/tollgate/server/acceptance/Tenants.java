package dev.tollgate.server.acceptance;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.postgres.tenants.ApiKeys.ApiKeySpec;
import dev.tollgate.server.postgres.tenants.ApiKeys.KeyCreation;
import dev.tollgate.server.postgres.tenants.Organizations.OrgCreation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Organizations and keys on the shared node's database, created by commands. */
final class Tenants {
  private static final MicroUsd CREDIT = new MicroUsd(1_000_000_000);
  private static final AtomicInteger ORGS = new AtomicInteger();

  private Tenants() {}

  /** Creates an organization without credit. */
  static String org() throws Exception {
    String org = "tenant-" + ORGS.incrementAndGet();
    run("orgs", "create", org);
    return org;
  }

  /** Creates an organization with credit. */
  static String payingOrg() throws Exception {
    String org = org();
    run("credits", "grant", "--org", org, "--usd", "100", "--ref", org);
    return org;
  }

  /** Creates a key of an organization. */
  static String keyOf(String org) throws Exception {
    return Json.tree(run("keys", "create", "--org", org, "--name", "k")).path("key").asText();
  }

  /** Creates organizations with credit, and returns a key of each. */
  static List<String> payingKeys(int orgs) throws Exception {
    List<String> keys = new ArrayList<>();
    try (Store store = Store.forCommand(store())) {
      for (int i = 0; i < orgs; i++) {
        String name = "tenant-" + ORGS.incrementAndGet();
        if (store.organizations().create(name, null) instanceof OrgCreation.Created created
            && store.apiKeys().create(created.org().org().id(), ApiKeySpec.named("k"), 0)
                instanceof KeyCreation.Created(var _, ApiKeyText.ValidKey secret)) {
          var _ = store.credits().grant(created.org().org().id(), CREDIT, name, "test");
          keys.add(secret.text());
        } else {
          throw new AssertionError("not created: " + name);
        }
      }
    }
    return keys;
  }

  /** Returns the address of the shared node's database. */
  static StoreOptions store() throws IOException {
    Map<String, String> of = new HashMap<>();
    for (String setting : SharedNode.node().home().storeSettings()) {
      int equals = setting.indexOf('=');
      of.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    String url = of.getOrDefault("store.url", "");
    var password = new Secret(of.getOrDefault("store.password", ""));
    String user = of.get("store.username");
    Path nowhere = Path.of("unused");
    return new StoreOptions(
        url, nowhere, user, password, 4, Duration.ofSeconds(5), false, List.of());
  }

  /** Runs a command and returns the JSON that it prints. */
  static String run(String... verb) throws Exception {
    return LauncherProcess.ask(SharedNode.node().home(), verb);
  }
}
