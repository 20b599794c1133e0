package dev.tollgate.server.acceptance;

import java.util.concurrent.atomic.AtomicInteger;

/** Organizations and keys on the shared node's database, created by commands. */
final class Tenants {
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

  /** Runs a command and returns the JSON that it prints. */
  static String run(String... verb) throws Exception {
    return LauncherProcess.ask(SharedNode.node().home(), verb);
  }
}
