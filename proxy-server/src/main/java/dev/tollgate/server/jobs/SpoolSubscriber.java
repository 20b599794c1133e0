package dev.tollgate.server.jobs;

import dev.tollgate.server.jobs.MediaProvider.FileFetchResult;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Body subscriber that writes a downloaded file into a spool, up to the spool's bound, with
 * backpressure from the disk.
 */
final class SpoolSubscriber implements BodySubscriber<FileFetchResult> {
  private final CompletableFuture<FileFetchResult> body = new CompletableFuture<>();
  private final Spool spool;
  private final String contentType;
  private Flow.@Nullable Subscription subscription;

  SpoolSubscriber(Spool spool, String contentType) {
    this.spool = spool;
    this.contentType = contentType;
  }

  @Override
  public CompletionStage<FileFetchResult> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription begun) {
    subscription = begun;
    begun.request(1);
  }

  @Override
  public void onNext(List<ByteBuffer> parts) {
    Flow.Subscription from = subscription;
    if (from == null || body.isDone()) {
      return;
    }
    try {
      switch (spool.add(parts)) {
        case ACCEPTED -> from.request(1);
        case TOO_LARGE -> end(from, new FileFetchResult.TooLarge());
        case NO_ROOM ->
            end(from, new FileFetchResult.Unknown("there is no room on the disk for it"));
      }
    } catch (IOException e) {
      body.completeExceptionally(e);
      from.cancel();
    }
  }

  private void end(Flow.Subscription from, FileFetchResult how) {
    body.complete(how);
    from.cancel();
  }

  @Override
  public void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(new FileFetchResult.Whole(contentType));
  }
}
