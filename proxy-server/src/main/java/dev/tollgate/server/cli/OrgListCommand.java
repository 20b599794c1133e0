package dev.tollgate.server.cli;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.postgres.Store;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command that lists the latest rows of one organization or of all. */
abstract class OrgListCommand extends TenantCommand {
  @Mixin private LatestOptions latest = new LatestOptions();

  @Option(names = "--org", paramLabel = "ORG", description = "Only rows of this organization.")
  private @Nullable String org;

  final int limit() {
    return latest.limit();
  }

  /** Null: all organizations. */
  final @Nullable OrgId org(Store store) throws SQLException, CommandFailedException {
    return org == null ? null : orgId(store, org);
  }
}
