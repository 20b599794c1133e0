package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.org.Invitations;
import dev.tollgate.server.account.org.OperatorOrgs;
import dev.tollgate.server.account.org.OperatorOrgs.OperatorNewOrg;
import dev.tollgate.server.account.org.OperatorOrgs.OperatorOrgPatch;
import dev.tollgate.server.account.org.OperatorOrgs.OrgState;
import dev.tollgate.server.account.org.OrgService;
import dev.tollgate.server.account.tenant.WebhookSecretService;
import dev.tollgate.server.cli.option.SpanConverter;
import dev.tollgate.server.cli.option.UsdConverter;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.tenants.Organizations.StoredOrg;
import dev.tollgate.server.postgres.tenants.Seal.UnsealResult;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.SettingsPart;
import dev.tollgate.server.wiring.OutboxOrgMail;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command group {@code tollgate orgs}: creates, lists and changes organizations, which own keys and
 * pay.
 */
@Command(
    name = "orgs",
    description = "Create, list and change organizations.",
    mixinStandardHelpOptions = true,
    subcommands = {
      OrgsCommand.CreateOrgCommand.class,
      OrgsCommand.ListOrgsCommand.class,
      OrgsCommand.ShowOrgCommand.class,
      OrgsCommand.SetOrgCommand.class,
      OrgsCommand.OrgSecretCommand.class,
    })
final class OrgsCommand extends CommandGroup {
  /** Value of {@code --monthly-limit} that removes the limit. */
  private static final String NO_LIMIT = "none";

  /** Value of {@code --max-api-keys} that removes the organization's own maximum. */
  private static final String CONFIGURED = "default";

  private static OperatorOrgs operatorOrgs(Settings settings, Store store) {
    return new OperatorOrgs(
        store.pool(),
        store.organizations(),
        () -> settings.limits().org().maxApiKeys(),
        new Invitations(store.pool(), (_, _, _, _, _) -> Optional.empty()),
        () -> {});
  }

  private static OrgService orgService(Settings settings, Store store) {
    return new OrgService(
        store.pool(),
        store.organizations(),
        () -> settings.limits().org().maxApiKeys(),
        false,
        () -> {});
  }

  /** Base class of commands that read or change one organization. */
  abstract static class SingleOrgCommand extends TenantCommand {
    @Parameters(paramLabel = "ORG", description = "Name or id of the organization.")
    private String org = "";

    final String org() {
      return org;
    }
  }

  @Command(
      name = "create",
      description = "Create an organization.",
      mixinStandardHelpOptions = true)
  static final class CreateOrgCommand extends TenantCommand {
    @Parameters(paramLabel = "NAME", description = "Name, at most 100 characters.")
    private String name = "";

    @Option(
        names = "--monthly-limit",
        paramLabel = "USD",
        converter = UsdConverter.class,
        description = "Spending limit per calendar month (UTC).")
    private @Nullable MicroUsd monthlyLimit;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      if (name.isBlank() || name.length() > 100 || !name.equals(name.strip())) {
        throw usage("a name must have 1 to 100 characters and no space around it");
      }
      var wish =
          new OperatorNewOrg(
              name, null, null, monthlyLimit == null ? null : (Long) monthlyLimit.value(), null);
      try {
        operatorOrgs(settings, store).create(Caller.cli(), wish, IdempotencyClaim.NONE);
      } catch (Refused e) {
        if (e.fault().code() != ErrorCode.CONFLICT) {
          throw e;
        }
        throw new CommandFailedException("an organization of that name exists: " + name);
      }
      rows().print(row(required(store.organizations().find(name), name)));
    }
  }

  @Command(name = "list", description = "List all organizations.", mixinStandardHelpOptions = true)
  static final class ListOrgsCommand extends TenantCommand {
    @Override
    void run(Settings settings, Store store) throws SQLException {
      rows()
          .print(
              store.organizations().list().stream().map(OrgsCommand::row).toList(),
              "name",
              "state",
              "balance_micro",
              "monthly_limit_micro",
              "keys",
              "id");
    }
  }

  @Command(name = "show", description = "Show an organization.", mixinStandardHelpOptions = true)
  static final class ShowOrgCommand extends SingleOrgCommand {
    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      rows().print(row(required(store.organizations().find(org()), org())));
    }
  }

  @Command(
      name = "set",
      description = "Change an organization; running gateways act within 5 seconds.",
      mixinStandardHelpOptions = true)
  static final class SetOrgCommand extends SingleOrgCommand {
    @Option(
        names = "--monthly-limit",
        paramLabel = "USD|" + NO_LIMIT,
        description = "Spending limit per calendar month (UTC).")
    private @Nullable String monthlyLimit;

    @Option(
        names = "--state",
        paramLabel = "active|suspended",
        description = "active, or suspended: its requests are refused.")
    private @Nullable String state;

    @Option(
        names = "--monthly-limit-cap",
        paramLabel = "USD|" + NO_LIMIT,
        description = "Highest monthly limit that the organization's own people may set.")
    private @Nullable String monthlyLimitCap;

    @Option(
        names = "--max-api-keys",
        paramLabel = "N|" + CONFIGURED,
        description = "Maximum of API keys; 0: no limit; default: limits.org.max_api_keys.")
    private @Nullable String maxApiKeys;

    @Option(
        names = "--close",
        description = "Close it: its keys are revoked; --state active opens it again.")
    private boolean close;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      boolean isNothing =
          Stream.of(monthlyLimit, state, monthlyLimitCap, maxApiKeys).allMatch(Objects::isNull);
      if (isNothing && !close) {
        throw usage(
            "nothing to set: give --monthly-limit, --monthly-limit-cap, --max-api-keys, --state or"
                + " --close");
      }
      Patch<OrgState> newState = state == null ? Patch.keep() : Patch.set(parse(state));
      boolean opens = newState.isSet() && newState.applyTo(OrgState.SUSPENDED) == OrgState.ACTIVE;
      var patch =
          new OperatorOrgPatch(
              newState,
              Patch.keep(),
              money(monthlyLimit),
              money(monthlyLimitCap),
              keysMax(),
              opens ? Patch.set(false) : Patch.keep(),
              null);
      OrgAccess access = access(store, org());
      if (!isNothing) {
        operatorOrgs(settings, store).change(access, patch, null);
      }
      if (close) {
        orgService(settings, store).close(access);
      }
      rows().print(row(required(store.organizations().find(org()), org())));
    }

    private static Patch<@Nullable Long> money(@Nullable String usd) {
      if (usd == null) {
        return Patch.keep();
      }
      return Patch.set(
          usd.equals(NO_LIMIT) ? null : (Long) new UsdConverter().convert(usd).value());
    }

    private Patch<@Nullable Integer> keysMax() {
      if (maxApiKeys == null) {
        return Patch.keep();
      }
      try {
        return Patch.set(maxApiKeys.equals(CONFIGURED) ? null : Integer.valueOf(maxApiKeys));
      } catch (NumberFormatException e) {
        throw usage("--max-api-keys must be a number or " + CONFIGURED);
      }
    }

    private OrgState parse(String text) {
      return switch (text) {
        case "active" -> OrgState.ACTIVE;
        case "suspended" -> OrgState.SUSPENDED;
        default -> throw usage("--state must be active or suspended");
      };
    }
  }

  @Command(
      name = "secret",
      description = "Show or replace the secret that signs an organization's webhooks.",
      mixinStandardHelpOptions = true,
      subcommands = {
        OrgSecretCommand.ShowSecretCommand.class,
        OrgSecretCommand.RotateSecretCommand.class
      })
  static final class OrgSecretCommand extends CommandGroup {
    /** Base class of the commands on the secret of one organization. */
    abstract static class SingleSecretCommand extends SingleOrgCommand {
      @Override
      final SettingsPart part() {
        return SettingsPart.ACCOUNTS;
      }
    }

    @Command(name = "show", description = "Print the secret.", mixinStandardHelpOptions = true)
    static final class ShowSecretCommand extends SingleSecretCommand {
      @Override
      void run(Settings settings, Store store) throws SQLException, CommandFailedException {
        OrgAccess access = access(store, org());
        rows().print(row(org(), store, () -> service(settings, store).reveal(access).secret()));
      }
    }

    @Command(
        name = "rotate",
        description = "Create a new secret and print it; it signs all webhooks from now on.",
        mixinStandardHelpOptions = true)
    static final class RotateSecretCommand extends SingleSecretCommand {
      @Option(
          names = "--keep",
          paramLabel = "SPAN",
          defaultValue = "24h",
          converter = SpanConverter.class,
          description =
              "Time during which the old one signs too, in webhook-signature; 0s if it leaked"
                  + " (default: 24h).")
      private Duration keep = Duration.ZERO;

      @Override
      void run(Settings settings, Store store) throws SQLException, CommandFailedException {
        OrgAccess access = access(store, org());
        rows()
            .print(row(org(), store, () -> service(settings, store).rotate(access, keep).secret()));
      }
    }

    private static WebhookSecretService service(Settings settings, Store store) {
      return new WebhookSecretService(
          store.pool(), store.webhookSecrets(), OutboxOrgMail.of(settings, store));
    }

    /** Call that returns a secret in its displayed form. */
    private interface SecretCall {
      String secret() throws SQLException;
    }

    /** Returns the row of a webhook secret, which has the format of Standard Webhooks. */
    private static ObjectNode row(String org, Store store, SecretCall call)
        throws SQLException, StoreBackedCommand.CommandFailedException {
      try {
        return RowPrinter.row().put("org", org).put("webhook_secret", call.secret());
      } catch (Refused e) {
        if (e.fault().code() != ErrorCode.NOT_CONFIGURED) {
          throw e;
        }
        UnsealResult why = store.webhookSecrets().of(org).orElseThrow(Refused::notFound);
        throw new StoreBackedCommand.CommandFailedException(
            "the secret of %s %s; rotate it with --keep 0s to have a new one"
                .formatted(org, SealSecretsCommand.describe(why)));
      }
    }
  }

  private static ObjectNode row(StoredOrg org) {
    MicroUsd limit = org.monthlyLimit();
    return RowPrinter.row()
        .put("id", org.org().id().toString())
        .put("name", org.org().name())
        .put("state", org.org().state().name().toLowerCase(Locale.ROOT))
        .put("balance_micro", org.balance().value())
        .put("monthly_limit_micro", limit == null ? null : limit.value())
        .put("keys", org.keys())
        .put("created_at", org.createdAt().toString());
  }
}
