package dev.tollgate.server.jobs;

import dev.tollgate.core.blob.Blob;
import dev.tollgate.core.blob.BlobName;
import dev.tollgate.core.blob.BlobType;
import dev.tollgate.core.blob.Stored;
import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobObserver;
import dev.tollgate.server.jobs.MediaProvider.Fetched;
import dev.tollgate.server.jobs.MediaProvider.MadeFile;
import dev.tollgate.server.jobs.MediaProvider.Seen;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Copies what a provider made into our storage, file by file by way of the disk: none is held in
 * memory, however large it is.
 */
public final class ArtifactCopy {
  private final MediaProvider provider;
  private final ArtifactStorage storage;
  private final Rules rules;
  private final JobObserver observer;

  /**
   * How files are copied.
   *
   * @param room for what is on its way
   * @param fileBytesMax of one file
   * @param kept how long what was copied is kept
   */
  public record Rules(SpoolRoom room, long fileBytesMax, Duration kept) {}

  public ArtifactCopy(
      MediaProvider provider, ArtifactStorage storage, Rules rules, JobObserver observer) {
    this.provider = provider;
    this.storage = storage;
    this.rules = rules;
    this.observer = observer;
  }

  /** What came of copying all files of a job. */
  sealed interface Copied {
    record All(List<JobArtifact> files) implements Copied {
      public All {
        files = List.copyOf(files);
      }
    }

    /** Nothing will come of it. */
    record Unusable(String reason) implements Copied {}

    /** The provider does not have a file that it told of, or not yet. */
    record Missing() implements Copied {}

    /** Another try may do better. */
    record NotNow(String reason) implements Copied {}

    /** Our storage did not take a file, and another try may do better. */
    record NotStored(String reason) implements Copied {}
  }

  /** What is copied of the files if not all of them are is deleted again. */
  Copied copy(MediaTarget target, ClaimedJob job, Seen.Made made) throws InterruptedException {
    List<JobArtifact> kept = new ArrayList<>();
    boolean isWhole = false;
    try {
      for (int n = 0; n < made.files().size(); n++) {
        switch (copy(target, job, made, n)) {
          case One.Kept one -> kept.add(one.file());
          case One.Not not -> {
            observer.notCopied();
            return not.why();
          }
        }
      }
      isWhole = true;
      return new Copied.All(kept);
    } finally {
      if (!isWhole) {
        discard(kept);
      }
    }
  }

  /** Deletes files that no job refers to. What is not deleted now goes when it is over. */
  void discard(List<JobArtifact> files) throws InterruptedException {
    for (JobArtifact file : files) {
      var _ = storage.delete(file.blob());
    }
  }

  Duration kept() {
    return rules.kept();
  }

  private sealed interface One {
    record Kept(JobArtifact file) implements One {}

    record Not(Copied why) implements One {}
  }

  private One copy(MediaTarget target, ClaimedJob job, Seen.Made made, int n)
      throws InterruptedException {
    try (Spool spool = Spool.open(rules.room(), rules.fileBytesMax())) {
      return switch (provider.fetch(target, made.providerJob(), n, spool)) {
        case Fetched.Whole whole -> store(job, made, n, whole, spool);
        case Fetched.Absent _ -> new One.Not(new Copied.Missing());
        case Fetched.TooLarge _ ->
            new One.Not(
                new Copied.Unusable("a file is larger than " + rules.fileBytesMax() + " bytes"));
        case Fetched.Unknown unknown -> new One.Not(new Copied.NotNow(unknown.reason()));
      };
    } catch (IOException e) {
      return new One.Not(new Copied.NotNow(e.toString()));
    }
  }

  private One store(ClaimedJob job, Seen.Made made, int n, Fetched.Whole whole, Spool spool)
      throws IOException, InterruptedException {
    ByteBuf content = spool.content();
    Optional<BlobType> type = FileKind.of(job.kind(), whole.contentType(), content);
    if (type.isEmpty()) {
      content.release();
      return new One.Not(new Copied.Unusable("a file is no " + job.kind().wire()));
    }
    Stored stored = storage.store(new Blob(job.job().org(), type.get(), rules.kept(), content));
    return switch (stored) {
      case Stored.Kept kept -> {
        observer.copied(spool.bytes());
        yield new One.Kept(file(job.kind(), kept.name(), spool.bytes(), made, made.files().get(n)));
      }
      case Stored.Unavailable no ->
          new One.Not(new Copied.NotStored(no.fault().wire() + " " + no.reason()));
    };
  }

  private static JobArtifact file(
      JobKind kind, BlobName name, long bytes, Seen.Made made, MadeFile told) {
    Duration length = told.length().or(made::length).orElse(Duration.ZERO);
    return new JobArtifact(
        UUID.randomUUID(),
        kind == JobKind.VIDEO ? JobArtifact.Type.VIDEO : JobArtifact.Type.AUDIO,
        name.type().mediaType(),
        name,
        bytes,
        told.frame(),
        length.toMillis() / 1e3);
  }
}
