package dev.tollgate.core.exchange.media;

import dev.tollgate.core.api.image.JobImage;
import dev.tollgate.core.exchange.frame.BodyWork;
import dev.tollgate.core.exchange.frame.CountedBody;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.StoreBlobResult;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Upload of a job submission's images to object storage, one after the other, each decoded in a
 * task of its own. Images without a job are deleted, or expire by their retention. Loop-confined.
 */
final class JobImageUpload {
  private static final Logger LOG = LoggerFactory.getLogger(JobImageUpload.class);

  private final Outputs.Kept outputs;
  private final Duration retention;
  private final InflightBytes inflight;
  private final OrgId org;
  private final BodyWork bodies;
  private final RequestLoop loop;
  private final List<BlobName> names = new ArrayList<>();
  private boolean discarded;

  /**
   * @param retention the shortest time for which the images are stored
   */
  JobImageUpload(
      Outputs.Kept outputs,
      Duration retention,
      ExchangeContext context,
      ExchangeRequest request,
      BodyWork bodies) {
    this.outputs = outputs;
    this.retention = retention;
    this.inflight = context.inflight();
    this.org = request.key().org().id();
    this.bodies = bodies;
    this.loop = bodies.loop();
  }

  /** Result of storing all images. */
  sealed interface Answer {
    /** Every image is stored; the names are in the order of the images. */
    record All(List<BlobName> names) implements Answer {
      public All {
        names = List.copyOf(names);
      }
    }

    record Refused(Fault fault, RequestOutcome outcome) implements Answer {}
  }

  /**
   * Stores the images.
   *
   * @param whenDone not called after {@link #discard}
   */
  void store(List<JobImage> images, Consumer<Answer> whenDone) {
    loop.check();
    if (names.size() == images.size()) {
      whenDone.accept(new Answer.All(names));
      return;
    }
    JobImage image = images.get(names.size());
    // The decoded image is a second copy until the storage releases it.
    Optional<InflightBytes.Permit> room = inflight.tryAcquire(image.bytesMax());
    if (room.isEmpty()) {
      Fault full = Fault.tryLater("There is no room for the images.");
      whenDone.accept(new Answer.Refused(full, RequestOutcome.SHED));
      return;
    }
    bodies.run(
        () -> decoded(image, room.get()),
        bytes -> store(image, bytes, images, whenDone),
        () -> {
          room.get().end();
          if (!discarded) {
            whenDone.accept(new Answer.Refused(BodyWork.BUSY, RequestOutcome.SHED));
          }
        });
  }

  private void store(
      JobImage image, ByteBuf bytes, List<JobImage> images, Consumer<Answer> whenDone) {
    if (discarded) {
      bytes.release();
      return;
    }
    outputs
        .blobs()
        .store(
            new Blob(org, image.type(), retention, bytes),
            loop.eventLoop(),
            loop.guarded(stored -> stored(stored, images, whenDone)));
  }

  private static ByteBuf decoded(JobImage image, InflightBytes.Permit room) {
    ByteBuf bytes;
    try {
      bytes = image.decoded();
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      room.end();
      throw unexpected;
    }
    return CountedBody.of(bytes, room);
  }

  private void stored(StoreBlobResult stored, List<JobImage> images, Consumer<Answer> whenDone) {
    switch (stored) {
      case StoreBlobResult.Kept(BlobName name) when discarded -> delete(name);
      case StoreBlobResult.Kept(BlobName name) -> {
        names.add(name);
        store(images, whenDone);
      }
      case StoreBlobResult.Unavailable _ when discarded -> {}
      case StoreBlobResult.Unavailable unavailable -> {
        LOG.warn(
            "an image of a job is not stored: {} ({})",
            unavailable.failure().wire(),
            unavailable.reason());
        Fault later = Fault.tryLater("Images cannot be stored at present.");
        whenDone.accept(new Answer.Refused(later, RequestOutcome.DEPENDENCY_DOWN));
      }
    }
  }

  /** Deletes the stored images, and those being stored: no job refers to them. */
  void discard() {
    loop.check();
    discarded = true;
    names.forEach(this::delete);
    names.clear();
  }

  /** Deletes an image; if that fails, it expires by its retention. */
  private void delete(BlobName name) {
    outputs.blobs().delete(name, loop.eventLoop(), _ -> {});
  }
}
