package dev.tollgate.server.storage;

import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.exchange.frame.Offload.Outcome;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobFiles;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobSigningKey;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.PathSigner;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.core.storage.StoreTimeout;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Blob store in a directory of the file system. A stored blob is complete and durable: written to a
 * draft, synced and renamed. All disk work is offloaded, and timeouts bound the wait for a disk
 * that hangs.
 */
public final class DirectoryBlobStore implements BlobStore, BlobFiles {
  private static final String DISK_TIMEOUT = "disk timeout";

  /** For heap memory the JDK makes a direct copy of each write and caches its buffer. */
  private static final int WRITE_BYTES = 64 * 1024;

  /** Permissions of folders created here; others set those of shared folders. */
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private final BlobLayout layout;
  private final DiskReserve reserve;
  private final Offload offload;
  private final InstantSource clock;
  private final Duration timeout;
  private final PathSigner signer;

  /** Creates the missing folders and returns the key; fails if the directory is not writable. */
  public static BlobSigningKey prepare(Path directory) throws IOException {
    var layout = new BlobLayout(directory);
    Files.createDirectories(directory);
    for (Path folder : List.of(layout.days(), layout.drafts())) {
      Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    }
    BlobSigningKey key = BlobSigningKeyFile.readOrCreate(layout);
    Path probe = Files.createTempFile(layout.drafts(), "probe", "");
    Files.delete(probe);
    return key;
  }

  /**
   * @param leftBytesMin bytes of the disk that outputs leave free
   * @param offload dedicated threads, which a slow disk may block
   * @param timeout time after which storing counts as failed, whatever its result
   */
  public DirectoryBlobStore(
      Path directory,
      long leftBytesMin,
      Offload offload,
      InstantSource clock,
      Duration timeout,
      PathSigner signer) {
    this.layout = new BlobLayout(directory);
    this.reserve = new DiskReserve(directory, leftBytesMin);
    this.offload = offload;
    this.clock = clock;
    this.timeout = timeout;
    this.signer = signer;
  }

  // Blobs

  @Override
  public void store(Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone) {
    BlobName name = BlobName.of(blob, clock.instant());
    var bytes = new QueuedBytes(blob.bytes());
    Duration within = StoreTimeout.of(timeout, blob.bytes().readableBytes());
    var completion = new TimedCompletion<StoreBlobResult>(loop, within, whenDone);
    completion.onTimeout(
        () -> {
          bytes.release();
          return new StoreBlobResult.Unavailable(BlobFailure.TIMED_OUT, DISK_TIMEOUT);
        });
    offload.run(
        loop,
        deadline(loop),
        () -> write(name, bytes),
        outcome -> {
          bytes.release();
          boolean isDelivered =
              completion.complete(
                  switch (outcome) {
                    case Outcome.Done<BlobName> done -> new StoreBlobResult.Kept(done.value());
                    case Outcome.Refused<BlobName> refused ->
                        new StoreBlobResult.Unavailable(BlobFailure.BUSY, refused.reason());
                    case Outcome.Failed<BlobName> failed ->
                        new StoreBlobResult.Unavailable(
                            failureOf(failed.cause()), failed.cause().toString());
                  });
          if (!isDelivered && outcome instanceof Outcome.Done<BlobName>) {
            delete(name, loop, _ -> {}); // too late: its name was never given out
          }
        });
  }

  @Override
  public SignedUrl url(BlobName name) {
    return signer.url(name);
  }

  @Override
  public void delete(BlobName name, EventLoop loop, Consumer<DeleteBlobResult> whenDone) {
    var completion = new TimedCompletion<DeleteBlobResult>(loop, timeout, whenDone);
    completion.onTimeout(
        () -> new DeleteBlobResult.Unavailable(BlobFailure.TIMED_OUT, DISK_TIMEOUT));
    offload.run(
        loop,
        deadline(loop),
        () -> Files.deleteIfExists(layout.of(name)),
        outcome ->
            completion.complete(
                switch (outcome) {
                  case Outcome.Done<Boolean> _ -> new DeleteBlobResult.Gone();
                  case Outcome.Refused<Boolean> refused ->
                      new DeleteBlobResult.Unavailable(BlobFailure.BUSY, refused.reason());
                  case Outcome.Failed<Boolean> failed ->
                      new DeleteBlobResult.Unavailable(
                          BlobFailure.FAILED, failed.cause().toString());
                }));
  }

  private long deadline(EventLoop loop) {
    return loop.ticker().nanoTime() + timeout.toNanos();
  }

  private BlobName write(BlobName name, QueuedBytes queued) throws IOException {
    ByteBuf bytes = queued.take();
    if (bytes == null) {
      throw new IOException("the caller has timed out");
    }
    try {
      write(name, bytes);
      return name;
    } finally {
      bytes.release();
    }
  }

  private void write(BlobName name, ByteBuf bytes) throws IOException {
    reserve.check(bytes.readableBytes());
    Path draft = layout.draft(name);
    Path folder = layout.folder(name);
    try {
      try (var out =
          FileChannel.open(draft, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        for (ByteBuffer part : bytes.nioBuffers()) {
          write(part, out);
        }
        out.force(true);
      }
      makeFolders(folder);
      Files.move(draft, layout.of(name), StandardCopyOption.ATOMIC_MOVE);
      sync(folder);
    } catch (IOException | RuntimeException | Error e) {
      discard(draft, e);
      throw e;
    }
  }

  private static void write(ByteBuffer part, FileChannel out) throws IOException {
    int end = part.limit();
    while (part.position() < end) {
      part.limit(Math.min(end, part.position() + WRITE_BYTES));
      out.write(part);
    }
  }

  /** Syncs the parents too: a crash might lose a folder with all its content. */
  private void makeFolders(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder);
      sync(folder.resolveSibling("."));
      sync(layout.days());
    }
  }

  /** Without this sync a crash might lose the name of a written file. */
  static void sync(Path folder) throws IOException {
    try (var opened = FileChannel.open(folder, StandardOpenOption.READ)) {
      opened.force(true);
    }
  }

  private static void discard(Path draft, Throwable why) {
    try {
      Files.deleteIfExists(draft);
    } catch (IOException e) {
      why.addSuppressed(e); // deleted later, with the drafts of crashes
    }
  }

  /** The system reports a full disk in the message only. */
  static BlobFailure failureOf(Throwable cause) {
    if (cause instanceof DiskReserve.FullException) {
      return BlobFailure.FULL;
    }
    String words = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
    boolean isFull = words.contains("no space left") || words.contains("quota exceeded");
    return isFull ? BlobFailure.FULL : BlobFailure.FAILED;
  }

  // BlobFiles

  @Override
  public void open(BlobName name, EventLoop loop, Consumer<Opened> whenDone) {
    var completion = new TimedCompletion<Opened>(loop, timeout, whenDone);
    completion.onTimeout(() -> new Opened.Unavailable(DISK_TIMEOUT));
    offload.run(
        loop,
        deadline(loop),
        () -> DiskFile.open(layout.of(name), offload, loop, timeout),
        outcome -> {
          switch (outcome) {
            case Outcome.Done<DiskFile> done -> {
              if (!completion.complete(new Opened.Found(done.value()))) {
                done.value().close();
              }
            }
            case Outcome.Refused<DiskFile> refused ->
                completion.complete(new Opened.Unavailable(refused.reason()));
            case Outcome.Failed<DiskFile> failed
                when failed.cause() instanceof NoSuchFileException ->
                completion.complete(new Opened.Absent());
            case Outcome.Failed<DiskFile> failed ->
                completion.complete(new Opened.Unavailable(failed.cause().toString()));
          }
        });
  }
}
