package dev.tollgate.core.exchange;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.exchange.attempt.BodyCollector;
import dev.tollgate.core.exchange.frame.CountedBody;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.StoreBlobResult;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Upload of a reply's images to object storage, one after the other, each decoded in a task of its
 * own. It stops at the first failure or at its deadline; the remaining images stay in the reply,
 * because they were paid for. Ended exactly once. Loop-confined.
 */
final class OutputUpload {
  private static final Logger LOG = LoggerFactory.getLogger(OutputUpload.class);

  private final Outputs.Kept outputs;
  private final InflightBytes inflight;
  private final OrgId org;
  private final RequestLoop loop;
  private final WholeReply reply;
  private final Consumer<WholeReply> whenDone;
  private @Nullable BodyCollector collected;
  private @Nullable ScheduledFuture<?> deadline;
  private boolean finished;
  private int next;

  /**
   * @param collected the bytes that the reply was read from; owned
   * @param whenDone called once, when no more images will be stored
   */
  OutputUpload(
      Outputs.Kept outputs,
      ExchangeContext context,
      ExchangeRequest request,
      RequestLoop loop,
      WholeReply reply,
      BodyCollector collected,
      Consumer<WholeReply> whenDone) {
    this.outputs = outputs;
    this.inflight = context.inflight();
    this.org = request.key().org().id();
    this.loop = loop;
    this.reply = reply;
    this.collected = collected;
    this.whenDone = whenDone;
  }

  void begin() {
    loop.check();
    deadline = loop.schedule(this::stop, outputs.timeout());
    store();
  }

  private void store() {
    while (next < reply.parts()) {
      int part = next++;
      // While it is stored, the image is in memory twice (decoded it is smaller), until the store
      // releases it: a store that does not respond may hold it beyond the deadline.
      Optional<InflightBytes.Permit> room = inflight.tryAcquire(reply.partBytesMax(part));
      ByteBuf bytes = room.flatMap(_ -> reply.part(part)).orElse(null);
      BlobType type = bytes == null ? null : BlobType.ofImage(bytes).orElse(null);
      if (room.isPresent() && bytes != null && type != null) {
        ByteBuf counted = CountedBody.of(bytes, room.get());
        store(part, new Blob(org, type, outputs.retention(), counted));
        return;
      }
      if (bytes != null) {
        bytes.release();
      }
      room.ifPresent(InflightBytes.Permit::end);
    }
    stop();
  }

  private void store(int part, Blob blob) {
    outputs.blobs().store(blob, loop.eventLoop(), loop.guarded(stored -> stored(part, stored)));
  }

  private void stored(int part, StoreBlobResult stored) {
    switch (stored) {
      case StoreBlobResult.Kept _ when finished -> {} // unreferenced: deleted by its retention
      case StoreBlobResult.Kept(BlobName name) -> {
        reply.storedAt(part, outputs.blobs().url(name).url());
        store();
      }
      case StoreBlobResult.Unavailable unavailable -> {
        LOG.warn(
            "an image is not stored: {} ({})", unavailable.failure().wire(), unavailable.reason());
        stop(); // the others would fail in the same way, after as long a wait
      }
    }
  }

  /**
   * Stops storing: images that are not stored by now stay in the reply. Returns false if it had
   * stopped before.
   */
  boolean stop() {
    loop.check();
    if (finished) {
      return false;
    }
    finish();
    whenDone.accept(reply);
    return true;
  }

  private void finish() {
    finished = true;
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }

  /** Returns {@code body} with the permit that the collected reply holds of the budget. */
  ByteBuf counted(ByteBuf body) {
    return requireNonNull(collected).transferPermit(body);
  }

  /** Releases the reply. */
  void end() {
    loop.check();
    finish();
    if (collected != null) {
      collected.end();
      collected = null;
    }
  }
}
