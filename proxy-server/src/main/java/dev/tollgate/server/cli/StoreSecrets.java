package dev.tollgate.server.cli;

import dev.tollgate.server.postgres.Seal.Opening;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.StoreException;
import dev.tollgate.server.postgres.StoreOptions;
import dev.tollgate.server.postgres.WebhookSecrets;
import dev.tollgate.server.postgres.WebhookSecrets.Locked;
import dev.tollgate.server.postgres.WebhookSecrets.Sealing;
import dev.tollgate.server.postgres.WebhookSecrets.Share;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import picocli.CommandLine.Command;

/** {@code tollgate store seal}: all webhook secrets come under the first master key. */
@Command(
    name = "seal",
    description = "Seal all webhook secrets with the first master key; gateways may run meanwhile.",
    mixinStandardHelpOptions = true)
final class StoreSecrets extends StoreVerb {
  private static final int NAMES_MAX = 20;

  @Override
  void run(Settings settings, StoreOptions options) throws StoreException, SQLException, Refused {
    try (Store store = Store.forCommand(options)) {
      WebhookSecrets secrets = store.webhookSecrets();
      if (!secrets.areSealed()) {
        throw new Refused("store.master_keys has no key to seal with");
      }
      Sealing done = secrets.sealAll();
      out().printf("sealed the secrets of %d organizations%n", done.organizations());
      secrets.shares().forEach(share -> out().println(said(share)));
      out().flush();
      if (!done.locked().isEmpty()) {
        throw new Refused(said(done));
      }
    }
  }

  private static String said(Share share) {
    String where = share.key() == null ? "in the clear" : "under " + share.key();
    return "%d secrets %s%s"
        .formatted(
            share.secrets(), where, share.isKnown() ? "" : ", which store.master_keys lacks");
  }

  private static String said(Sealing done) {
    StringBuilder text = new StringBuilder("left as they are:");
    for (Locked one : done.locked().subList(0, Math.min(NAMES_MAX, done.locked().size()))) {
      text.append("%n  a secret of %s %s".formatted(one.organization(), said(one.why())));
    }
    int more = done.locked().size() - NAMES_MAX;
    return more > 0 ? text.append("%n  and %d more".formatted(more)).toString() : text.toString();
  }

  /** Why a secret cannot be opened. */
  static String said(Opening why) {
    return switch (why) {
      case Opening.KeyMissing(String key) ->
          "is sealed with the master key " + key + ", which store.master_keys lacks";
      case Opening.Damaged _ -> "is not what was sealed for it";
      case Opening.Opened _ -> "can be opened";
    };
  }
}
