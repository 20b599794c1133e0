package dev.tollgate.server.cli;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.tenant.CreditService;
import dev.tollgate.server.account.tenant.CreditService.Booked;
import dev.tollgate.server.account.tenant.CreditService.Booking;
import dev.tollgate.server.cli.option.UsdConverter;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.tenants.Credits.EntryKind;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command group {@code tollgate credits}: grants credit to organizations. */
@Command(
    name = "credits",
    description = "Grant credit to organizations.",
    mixinStandardHelpOptions = true,
    subcommands = CreditsCommand.GrantCreditsCommand.class)
final class CreditsCommand extends CommandGroup {
  @Command(
      name = "grant",
      description = "Add to an organization's balance.",
      mixinStandardHelpOptions = true)
  static final class GrantCreditsCommand extends TenantCommand {
    @Option(
        names = "--org",
        required = true,
        paramLabel = "ORG",
        description = "Name or id of the organization.")
    private String org = "";

    @Option(
        names = "--usd",
        required = true,
        paramLabel = "USD",
        converter = UsdConverter.class,
        description = "The amount, such as 25 or 0.50.")
    private MicroUsd amount = MicroUsd.ZERO;

    @Option(
        names = "--ref",
        paramLabel = "TEXT",
        description = "Reference of the grant: repeating it grants nothing more.")
    private @Nullable String ref;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      if (!amount.isPositive()) {
        throw usage("--usd must be above 0");
      }
      String reference = ref == null ? "grant:" + UUID.randomUUID() : ref;
      var booking = new Booking(EntryKind.FUNDING, amount.value(), reference, null);
      var credits = new CreditService(store.pool(), () -> {});
      Booked booked;
      try {
        booked = credits.book(access(store, org), booking, IdempotencyClaim.NONE);
      } catch (Refused e) {
        if (e.fault().code() != ErrorCode.CONFLICT) {
          throw e;
        }
        throw new CommandFailedException(
            "the reference "
                + reference
                + " belongs to a grant to another organization or of another amount");
      }
      var after = required(store.organizations().find(org), org);
      rows()
          .print(
              RowPrinter.row()
                  .put("org", after.org().name())
                  .put("amount_micro", amount.value())
                  .put("ref", reference)
                  .put("booked", booked.booked())
                  .put("balance_micro", booked.balanceMicro()));
    }
  }
}
