package dev.tollgate.server.control.route;

import dev.tollgate.server.account.tenant.WebhookSecretService;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Handlers of the calls of the secret that signs an organization's webhooks. */
public final class WebhookSecretHandlers {
  private static final Duration KEEP_INITIAL = Duration.ofDays(1);

  private WebhookSecretHandlers() {}

  /**
   * How a secret is replaced.
   *
   * @param keepSeconds for how long the previous one signs too; null: a day
   */
  record SecretRotation(@Nullable Integer keepSeconds) {
    Duration keep() {
      return keepSeconds == null ? KEEP_INITIAL : Duration.ofSeconds(keepSeconds);
    }
  }

  public static void add(Handlers.Builder handlers, WebhookSecretService secrets) {
    handlers
        .on(Route.WEBHOOK_SECRET, call -> ControlReply.ok(secrets.info(call.org())))
        .on(Route.WEBHOOK_SECRET_REVEAL, call -> ControlReply.ok(secrets.reveal(call.org())))
        .on(
            Route.WEBHOOK_SECRET_ROTATE,
            call -> {
              Duration keep = call.body(SecretRotation.class).keep();
              return ControlReply.ok(secrets.rotate(call.org(), keep));
            });
  }
}
