package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.tenant.CreditService;
import dev.tollgate.server.account.tenant.CreditService.Booked;
import dev.tollgate.server.account.tenant.CreditService.Booking;
import dev.tollgate.server.account.tenant.LedgerList;
import dev.tollgate.server.account.tenant.LedgerList.LedgerLine;
import dev.tollgate.server.account.tenant.LedgerList.LedgerQuery;
import dev.tollgate.server.cli.option.LatestOptions;
import dev.tollgate.server.cli.option.UsdConverter;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.tenants.Credits.EntryKind;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command group {@code tollgate credits}: grants credit to organizations, lists what makes up a
 * balance, and takes a grant back.
 */
@Command(
    name = "credits",
    description = "Grant credit to organizations, list it and take it back.",
    mixinStandardHelpOptions = true,
    subcommands = {
      CreditsCommand.GrantCreditsCommand.class,
      CreditsCommand.ListCreditsCommand.class,
      CreditsCommand.RevokeCreditsCommand.class
    })
final class CreditsCommand extends CommandGroup {
  private static final String ORG = "Name or id of the organization.";

  @Command(
      name = "grant",
      description = "Add to an organization's balance.",
      mixinStandardHelpOptions = true)
  static final class GrantCreditsCommand extends TenantCommand {
    @Option(names = "--org", required = true, paramLabel = "ORG", description = ORG)
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
      rows().print(row(after.org().name(), booked));
    }
  }

  @Command(
      name = "list",
      description = "List what makes up a balance, the latest first: entries, and charges by day.",
      mixinStandardHelpOptions = true)
  static final class ListCreditsCommand extends TenantCommand {
    @Option(names = "--org", required = true, paramLabel = "ORG", description = ORG)
    private String org = "";

    @Option(
        names = "--kind",
        split = ",",
        paramLabel = "KIND",
        description = "Only funding, refund, adjustment, write_off or charges; repeatable.")
    private List<String> kinds = List.of();

    @Mixin private LatestOptions latest = new LatestOptions();

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      OrgAccess access = access(store, org);
      var list = new LedgerList(store.pool());
      var query = new LedgerQuery(null, null, kinds);
      List<ObjectNode> rows =
          Page.upTo(latest.limit(), page -> list.list(access, query, page)).stream()
              .map(CreditsCommand::row)
              .toList();
      rows()
          .print(
              rows, "at", "kind", "amount_micro", "balance_after_micro", "ref", "actor", "reason");
    }
  }

  @Command(
      name = "revoke",
      description = {
        "Take a grant back, by a refund of its amount.",
        "It is refused if less than that is neither spent nor reserved. Repeating it takes nothing"
            + " more."
      },
      mixinStandardHelpOptions = true)
  static final class RevokeCreditsCommand extends TenantCommand {
    @Parameters(paramLabel = "REF", description = "Reference of the grant, as it is listed.")
    private String ref = "";

    @Option(
        names = "--force",
        description = "Also if it was spent: the balance may be below zero afterwards.")
    private boolean isForced;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      OrgId org =
          store
              .credits()
              .organization(ref)
              .orElseThrow(() -> new CommandFailedException("there is no entry " + ref));
      OrgAccess access = OrgAccess.of(store.pool(), Caller.cli(), org);
      try {
        Booked booked = new CreditService(store.pool(), () -> {}).revoke(access, ref, isForced);
        rows().print(row(access.orgName(), booked));
      } catch (Refused e) {
        throw new CommandFailedException(
            "nothing was taken back from %s: %s".formatted(access.orgName(), e.getMessage()));
      }
    }
  }

  private static ObjectNode row(String org, Booked booked) {
    return RowPrinter.row()
        .put("org", org)
        .put("amount_micro", booked.amountMicro())
        .put("ref", booked.ref())
        .put("booked", booked.booked())
        .put("balance_micro", booked.balanceMicro());
  }

  private static ObjectNode row(LedgerLine line) {
    LedgerList.Actor actor = line.actor();
    return RowPrinter.row()
        .put("id", line.id())
        .put("at", line.at().toString())
        .put("kind", line.kind())
        .put("amount_micro", line.amountMicro())
        .put("balance_after_micro", line.balanceAfterMicro())
        .put("ref", line.ref())
        .put("reason", line.reason())
        .put("actor", actor == null ? null : actor.name());
  }
}
