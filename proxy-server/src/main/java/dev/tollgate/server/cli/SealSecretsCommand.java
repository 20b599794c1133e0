package dev.tollgate.server.cli;

import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.postgres.tenants.Seal.UnsealResult;
import dev.tollgate.server.postgres.tenants.WebhookSecrets;
import dev.tollgate.server.postgres.tenants.WebhookSecrets.LockedSecret;
import dev.tollgate.server.postgres.tenants.WebhookSecrets.SealSummary;
import dev.tollgate.server.postgres.tenants.WebhookSecrets.SecretsByKey;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import picocli.CommandLine.Command;

/** Command {@code tollgate store seal}: encrypts all webhook secrets with the first master key. */
@Command(
    name = "seal",
    description =
        "Encrypt all webhook secrets with the first master key; gateways may run meanwhile.",
    mixinStandardHelpOptions = true)
final class SealSecretsCommand extends StoreBackedCommand {
  private static final int NAMES_MAX = 20;

  @Override
  void run(Settings settings, StoreOptions options)
      throws StoreException, SQLException, CommandFailedException {
    try (Store store = Store.forCommand(options)) {
      WebhookSecrets secrets = store.webhookSecrets();
      if (!secrets.isSealingEnabled()) {
        throw new CommandFailedException("store.master_keys has no key to seal with");
      }
      SealSummary done = secrets.sealAll();
      out().printf("sealed the secrets of %d organizations%n", done.organizations());
      secrets.shares().forEach(share -> out().println(describe(share)));
      out().flush();
      if (!done.locked().isEmpty()) {
        throw new CommandFailedException(describe(done));
      }
    }
  }

  private static String describe(SecretsByKey share) {
    String where = share.key() == null ? "in the clear" : "under " + share.key();
    return "%d secrets %s%s"
        .formatted(
            share.secrets(), where, share.isKnown() ? "" : ", which store.master_keys lacks");
  }

  private static String describe(SealSummary done) {
    StringBuilder text = new StringBuilder("left unchanged:");
    for (LockedSecret one : done.locked().subList(0, Math.min(NAMES_MAX, done.locked().size()))) {
      text.append("%n  a secret of %s %s".formatted(one.organization(), describe(one.why())));
    }
    int more = done.locked().size() - NAMES_MAX;
    return more > 0 ? text.append("%n  and %d more".formatted(more)).toString() : text.toString();
  }

  /** Returns why a secret cannot be opened. */
  static String describe(UnsealResult unsealed) {
    return switch (unsealed) {
      case UnsealResult.KeyMissing(String key) ->
          "is sealed with the master key " + key + ", which store.master_keys lacks";
      case UnsealResult.Damaged _ -> "is not what was sealed for it";
      case UnsealResult.Opened _ -> "can be opened";
    };
  }
}
