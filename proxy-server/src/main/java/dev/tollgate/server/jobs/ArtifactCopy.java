package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobObserver;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.server.jobs.MediaProvider.FileFetchResult;
import dev.tollgate.server.jobs.MediaProvider.OutputFile;
import dev.tollgate.server.jobs.MediaProvider.ProviderJobState;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Copier of a finished job's output files from the provider to the gateway's storage, each through
 * a file on disk instead of memory.
 */
public final class ArtifactCopy {
  private final MediaProvider provider;
  private final ArtifactStorage storage;
  private final CopyOptions options;
  private final JobObserver observer;

  /**
   * Options of copying output files.
   *
   * @param quota disk quota of files in transit
   * @param fileBytesMax bytes of the largest permitted file
   * @param retention time for which copied files are kept
   */
  public record CopyOptions(SpoolQuota quota, long fileBytesMax, Duration retention) {}

  public ArtifactCopy(
      MediaProvider provider, ArtifactStorage storage, CopyOptions options, JobObserver observer) {
    this.provider = provider;
    this.storage = storage;
    this.options = options;
    this.observer = observer;
  }

  /** Result of copying all files of a job. */
  sealed interface CopyResult {
    record All(List<JobArtifact> files) implements CopyResult {
      public All {
        files = List.copyOf(files);
      }
    }

    /** The output cannot be used, so the job has failed. */
    record Unusable(String reason) implements CopyResult {}

    /** The provider does not have a file that it announced, or not yet. */
    record Missing() implements CopyResult {}

    /** A file could not be fetched; another attempt may succeed. */
    record RetryLater(String reason) implements CopyResult {}

    /** The gateway's storage did not accept a file; another attempt may succeed. */
    record NotStored(String reason) implements CopyResult {}
  }

  /** Copies all files; if one fails, deletes the copies made so far. */
  CopyResult copy(MediaTarget target, ClaimedJob job, ProviderJobState.Succeeded made)
      throws InterruptedException {
    List<JobArtifact> kept = new ArrayList<>();
    boolean isWhole = false;
    try {
      for (int n = 0; n < made.files().size(); n++) {
        switch (copy(target, job, made, n)) {
          case FileCopyResult.Saved one -> kept.add(one.file());
          case FileCopyResult.NotSaved not -> {
            observer.copyFailed();
            return not.result();
          }
        }
      }
      isWhole = true;
      return new CopyResult.All(kept);
    } finally {
      if (!isWhole) {
        discard(kept);
      }
    }
  }

  /**
   * Deletes files that no job refers to. A file that cannot be deleted now is deleted when it
   * expires.
   */
  void discard(List<JobArtifact> files) throws InterruptedException {
    for (JobArtifact file : files) {
      var _ = storage.delete(file.blob());
    }
  }

  Duration retention() {
    return options.retention();
  }

  private sealed interface FileCopyResult {
    record Saved(JobArtifact file) implements FileCopyResult {}

    record NotSaved(CopyResult result) implements FileCopyResult {}
  }

  private FileCopyResult copy(
      MediaTarget target, ClaimedJob job, ProviderJobState.Succeeded made, int n)
      throws InterruptedException {
    try (Spool spool = Spool.open(options.quota(), options.fileBytesMax())) {
      return switch (provider.fetch(target, made.providerJob(), n, spool)) {
        case FileFetchResult.Whole whole -> store(job, made, n, whole, spool);
        case FileFetchResult.Absent _ -> new FileCopyResult.NotSaved(new CopyResult.Missing());
        case FileFetchResult.TooLarge _ ->
            new FileCopyResult.NotSaved(
                new CopyResult.Unusable(
                    "a file is larger than " + options.fileBytesMax() + " bytes"));
        case FileFetchResult.Unknown unknown ->
            new FileCopyResult.NotSaved(new CopyResult.RetryLater(unknown.reason()));
      };
    } catch (IOException e) {
      return new FileCopyResult.NotSaved(new CopyResult.RetryLater(e.toString()));
    }
  }

  private FileCopyResult store(
      ClaimedJob job,
      ProviderJobState.Succeeded made,
      int n,
      FileFetchResult.Whole whole,
      Spool spool)
      throws IOException, InterruptedException {
    ByteBuf content = spool.content();
    Optional<BlobType> type = FileKind.of(job.kind(), whole.contentType(), content);
    if (type.isEmpty()) {
      content.release();
      return new FileCopyResult.NotSaved(
          new CopyResult.Unusable("a file is no " + job.kind().wire()));
    }
    StoreBlobResult stored =
        storage.store(new Blob(job.job().org(), type.get(), options.retention(), content));
    return switch (stored) {
      case StoreBlobResult.Kept kept -> {
        observer.copied(spool.bytes());
        yield new FileCopyResult.Saved(
            file(job.kind(), kept.name(), spool.bytes(), made, made.files().get(n)));
      }
      case StoreBlobResult.Unavailable no ->
          new FileCopyResult.NotSaved(
              new CopyResult.NotStored(no.failure().wire() + " " + no.reason()));
    };
  }

  private static JobArtifact file(
      JobKind kind, BlobName name, long bytes, ProviderJobState.Succeeded made, OutputFile output) {
    Duration length = output.length().or(made::length).orElse(Duration.ZERO);
    return new JobArtifact(
        UUID.randomUUID(),
        kind == JobKind.VIDEO ? JobArtifact.Type.VIDEO : JobArtifact.Type.AUDIO,
        name.type().mediaType(),
        name,
        bytes,
        output.frame(),
        length.toMillis() / 1e3);
  }
}
