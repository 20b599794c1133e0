package dev.tollgate.core.pipeline;

import static java.util.Objects.requireNonNullElse;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.responses.ResponseEventSet;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.exchange.download.DownloadService;
import dev.tollgate.core.exchange.download.DownloadService.Part;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.RequestService;
import dev.tollgate.core.http.ByteRange;
import dev.tollgate.core.http.RequestHead;
import dev.tollgate.core.pipeline.RequestProgress.Authenticated;
import dev.tollgate.core.pipeline.RequestProgress.Collected;
import dev.tollgate.core.pipeline.RequestProgress.Permitted;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import dev.tollgate.core.pipeline.RequestProgress.Routed;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.ReferenceCountUtil;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Handler {@code exchange}, the last of the API's pipeline: hands complete requests to the service
 * that answers them.
 */
final class ExchangeHandler extends AnsweringHandler {
  private final RequestService service;
  private final DownloadService downloads;
  private final Supplier<Catalog> catalog;

  ExchangeHandler(
      ClientConnection connection,
      RequestService service,
      DownloadService downloads,
      Supplier<Catalog> catalog) {
    super(connection);
    this.service = service;
    this.downloads = downloads;
    this.catalog = catalog;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    switch (message) {
      case Collected collected -> start(collected);
      case Permitted permitted -> start(permitted);
      default -> ReferenceCountUtil.release(message);
    }
  }

  private void start(Collected collected) {
    Authenticated authenticated = collected.authenticated();
    Received received = collected.received();
    ExchangeRequest request =
        new ExchangeRequest(
            received.id(),
            authenticated.routed().match().endpoint(),
            argument(authenticated.routed()),
            idempotencyKey(authenticated.routed()),
            caller(authenticated),
            catalog.get(),
            received.atNanos(),
            collected.body());
    connection.handOver();
    try {
      run(() -> service.start(request, this));
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      connection.takeBack();
      failedUnexpectedly(unexpected);
    }
  }

  /** Starts a download; the reply handler records it, since it counts the bytes sent. */
  private void start(Permitted permitted) {
    RequestHead head = permitted.routed().received().head();
    Part part =
        head.method().equals("HEAD")
            ? new Part.Head()
            : new Part.Bytes(ByteRange.of(head.headers()));
    try {
      run(() -> downloads.start(permitted.name(), part, this));
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      failedUnexpectedly(unexpected);
    }
  }

  private static ExchangeRequest.Caller caller(Authenticated authenticated) {
    Routed routed = authenticated.routed();
    Received received = routed.received();
    ResponseEventSet needed =
        routed.match().endpoint() == Endpoint.RESPONSES
            ? ResponseEventSet.neededBy(received.head().headers())
            : ResponseEventSet.LISTED;
    return new ExchangeRequest.Caller(authenticated.key(), received.client().text(), needed);
  }

  private static String argument(Routed routed) {
    return switch (routed.match().endpoint()) {
      case MODELS -> routed.received().head().query();
      case TRANSCRIPTIONS, IMAGE_EDITS ->
          requireNonNullElse(routed.received().head().headers().first("content-type"), "");
      case CHAT_COMPLETIONS,
          COMPLETIONS,
          RESPONSES,
          EMBEDDINGS,
          SPEECH,
          IMAGE_GENERATIONS,
          VIDEO_GENERATIONS,
          MUSIC_GENERATIONS,
          VIDEO_JOB,
          MUSIC_JOB,
          JOB,
          VIDEO_JOB_DELETION,
          MUSIC_JOB_DELETION,
          MODEL,
          KEY,
          CREDITS,
          ARTIFACT ->
          routed.match().argument();
    };
  }

  private static @Nullable String idempotencyKey(Routed routed) {
    return switch (routed.match().endpoint().idempotency()) {
      case IGNORED -> null;
      case OPTIONAL, REQUIRED -> routed.received().head().headers().first("idempotency-key");
    };
  }
}
