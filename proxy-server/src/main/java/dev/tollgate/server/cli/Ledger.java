package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.postgres.LedgerAudit.Violation;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tollgate ledger}: whether the money adds up. */
@Command(
    name = "ledger",
    description = "Look after the books.",
    mixinStandardHelpOptions = true,
    subcommands = Ledger.Audit.class)
final class Ledger extends VerbGroup {
  @Command(
      name = "audit",
      description = "Sum the ledger anew and list what does not agree; exit 1 if there is any.",
      mixinStandardHelpOptions = true)
  static final class Audit extends TenantVerb {
    @Option(
        names = "--full",
        description = "Every charge that is stored. At present that is what is always done.")
    @SuppressWarnings("unused") // as its description says
    private boolean full;

    @Override
    void run(Settings settings, Store store) throws SQLException, Refused {
      List<Violation> violations = store.ledgerAudit().run();
      if (!violations.isEmpty()) {
        rows().print(violations.stream().map(Audit::row).toList(), "invariant", "scope", "what");
        out().flush();
        throw new Refused(violations.size() + " sums do not agree");
      }
    }

    private static ObjectNode row(Violation violation) {
      return Rows.row()
          .put("invariant", violation.invariant())
          .put("scope", violation.scope())
          .put("what", violation.what());
    }
  }
}
