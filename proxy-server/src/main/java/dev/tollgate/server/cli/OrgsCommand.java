package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.core.webhook.WebhookSecret;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.tenants.Organizations.OrgCreation;
import dev.tollgate.server.postgres.tenants.Organizations.StoredOrg;
import dev.tollgate.server.postgres.tenants.Seal.UnsealResult;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
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
      switch (store.organizations().create(name, monthlyLimit)) {
        case OrgCreation.Created created -> rows().print(row(created.org()));
        case OrgCreation.NameTaken _ ->
            throw new CommandFailedException("an organization of that name exists: " + name);
      }
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

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      if (monthlyLimit == null && state == null) {
        throw usage("nothing to set: give --monthly-limit or --state");
      }
      Optional<Org.State> newState = state == null ? Optional.empty() : Optional.of(parse(state));
      Optional<MicroUsd> limit =
          monthlyLimit == null || monthlyLimit.equals(NO_LIMIT)
              ? Optional.empty()
              : Optional.of(new UsdConverter().convert(monthlyLimit));
      var organizations = store.organizations();
      if (monthlyLimit != null) {
        required(organizations.setMonthlyLimit(org(), limit.orElse(null)), org());
      }
      if (newState.isPresent()) {
        required(organizations.setState(org(), newState.get()), org());
      }
      rows().print(row(required(organizations.find(org()), org())));
    }

    private Org.State parse(String text) {
      return switch (text) {
        case "active" -> Org.State.ACTIVE;
        case "suspended" -> Org.State.SUSPENDED;
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
    @Command(name = "show", description = "Print the secret.", mixinStandardHelpOptions = true)
    static final class ShowSecretCommand extends SingleOrgCommand {
      @Override
      void run(Settings settings, Store store) throws SQLException, CommandFailedException {
        rows().print(row(org(), store.webhookSecrets().of(org())));
      }
    }

    @Command(
        name = "rotate",
        description = "Create a new secret and print it; it signs all webhooks from now on.",
        mixinStandardHelpOptions = true)
    static final class RotateSecretCommand extends SingleOrgCommand {
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
        rows().print(row(org(), store.webhookSecrets().rotate(org(), keep)));
      }
    }

    /** Returns the row of a webhook secret, which has the format of Standard Webhooks. */
    private static ObjectNode row(String org, Optional<UnsealResult> secret)
        throws StoreBackedCommand.CommandFailedException {
      return switch (secret.orElse(null)) {
        case null ->
            throw new StoreBackedCommand.CommandFailedException("there is no organization " + org);
        case UnsealResult.Opened(byte[] bytes) ->
            RowPrinter.row()
                .put("org", org)
                .put("webhook_secret", new WebhookSecret(bytes).reveal());
        case UnsealResult.KeyMissing missing -> throw locked(org, missing);
        case UnsealResult.Damaged damaged -> throw locked(org, damaged);
      };
    }

    private static StoreBackedCommand.CommandFailedException locked(String org, UnsealResult why) {
      return new StoreBackedCommand.CommandFailedException(
          "the secret of %s %s; rotate it with --keep 0s to have a new one"
              .formatted(org, SealSecretsCommand.describe(why)));
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
