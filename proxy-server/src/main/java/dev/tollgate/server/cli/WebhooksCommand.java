package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.webhook.WebhookEvents;
import dev.tollgate.server.postgres.webhook.WebhookEvents.DeliveryAttempt;
import dev.tollgate.server.postgres.webhook.WebhookEvents.WebhookEvent;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command group {@code tollgate webhooks}: lists webhook events and delivery attempts, and delivers
 * events again.
 */
@Command(
    name = "webhooks",
    description = "List webhooks of finished jobs, and send them again.",
    mixinStandardHelpOptions = true,
    subcommands = {
      WebhooksCommand.ListEventsCommand.class,
      WebhooksCommand.ListAttemptsCommand.class,
      WebhooksCommand.ResendEventCommand.class
    })
final class WebhooksCommand extends CommandGroup {
  private static final Set<String> STATES = Set.of("pending", "delivered", "failed", "gone");

  @Command(
      name = "list",
      description = "List the latest events, newest first.",
      mixinStandardHelpOptions = true)
  static final class ListEventsCommand extends OrgListCommand {
    @Option(
        names = "--state",
        paramLabel = "pending|delivered|failed|gone",
        description = "Only events in this state.")
    private @Nullable String state;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      if (state != null && !STATES.contains(state)) {
        throw usage("--state must be pending, delivered, failed or gone");
      }
      rows()
          .print(
              store.webhookEvents().latest(org(store), state, limit()).stream()
                  .map(WebhooksCommand::row)
                  .toList(),
              "id",
              "event",
              "job_id",
              "host",
              "state",
              "attempts",
              "last_status",
              "last_error",
              "next_attempt_at");
    }
  }

  /** Base class of commands that read or change one webhook event. */
  abstract static class SingleEventCommand extends TenantCommand {
    @Parameters(paramLabel = "EVENT", description = "The event's id: webhook-id of its requests.")
    private String event = "";

    final UUID event() {
      try {
        return UUID.fromString(event);
      } catch (IllegalArgumentException e) {
        throw usage("the id of an event must be a UUID");
      }
    }
  }

  @Command(
      name = "attempts",
      description = "List the attempts to deliver an event; they are kept for 30 days.",
      mixinStandardHelpOptions = true)
  static final class ListAttemptsCommand extends SingleEventCommand {
    @Override
    void run(Settings settings, Store store) throws SQLException {
      List<DeliveryAttempt> attempts = store.webhookEvents().attempts(event());
      rows()
          .print(
              attempts.stream().map(WebhooksCommand::row).toList(),
              "at",
              "attempt",
              "outcome",
              "status",
              "took_ms");
    }
  }

  @Command(
      name = "resend",
      description = "Deliver an event again, with a new retry schedule.",
      mixinStandardHelpOptions = true)
  static final class ResendEventCommand extends SingleEventCommand {
    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      WebhookEvents.ResendResult result = store.webhookEvents().resend(event());
      switch (result) {
        case RESCHEDULED ->
            rows().print(RowPrinter.row().put("id", event().toString()).put("state", "pending"));
        case UNKNOWN -> throw new CommandFailedException("there is no event " + event());
        case JOB_REMOVED ->
            throw new CommandFailedException("the job of the event " + event() + " was deleted");
      }
    }
  }

  private static ObjectNode row(WebhookEvent event) {
    return RowPrinter.row()
        .put("id", event.id().toString())
        .put("event", event.event())
        .put("org", event.org().toString())
        .put("job_id", event.job().toString())
        .put("request_id", event.request())
        .put("host", event.host())
        .put("state", event.state())
        .put("attempts", event.attempts())
        .put("last_status", event.lastStatus())
        .put("last_error", event.lastError())
        .put("created_at", event.createdAt().toString())
        .put("next_attempt_at", text(event.nextAttempt()));
  }

  private static ObjectNode row(DeliveryAttempt attempt) {
    return RowPrinter.row()
        .put("at", attempt.at().toString())
        .put("attempt", attempt.number())
        .put("outcome", attempt.outcome())
        .put("status", attempt.status())
        .put("took_ms", attempt.took().toMillis());
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
