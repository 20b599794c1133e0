package dev.tollgate.server.cli;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.cli.option.LatestOptions;
import dev.tollgate.server.postgres.Store;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Base class of CLI commands that list the latest rows, with a {@code --limit} and an optional
 * {@code --org} filter.
 */
abstract class OrgListCommand extends TenantCommand {
  @Mixin private LatestOptions latest = new LatestOptions();

  @Option(names = "--org", paramLabel = "ORG", description = "Only rows of this organization.")
  private @Nullable String org;

  final int limit() {
    return latest.limit();
  }

  /** Returns the organization named by {@code --org}; null means all organizations. */
  final @Nullable OrgId org(Store store) throws SQLException, CommandFailedException {
    return org == null ? null : orgId(store, org);
  }
}
