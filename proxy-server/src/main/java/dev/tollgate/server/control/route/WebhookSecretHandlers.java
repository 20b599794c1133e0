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
        .replies(Route.WEBHOOK_SECRET, call -> secrets.info(call.org()))
        .replies(Route.WEBHOOK_SECRET_REVEAL, call -> secrets.reveal(call.org()))
        .replies(
            Route.WEBHOOK_SECRET_ROTATE,
            call -> secrets.rotate(call.org(), call.body(SecretRotation.class).keep()));
  }
}
