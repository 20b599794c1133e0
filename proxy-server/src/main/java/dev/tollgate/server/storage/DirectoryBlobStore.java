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
 * Keeps blobs in a directory. What is kept is whole and on the disk: it is written aside, synced,
 * and given its name. All disk work is offloaded, and nobody waits for a disk that hangs.
 */
public final class DirectoryBlobStore implements BlobStore, BlobFiles {
  private static final String HANGS = "the disk hangs";

  /** Of what is not in direct memory already, the JDK makes a copy there, and keeps its room. */
  private static final int WRITE_BYTES = 64 * 1024;

  /** Of folders made here; what others share is theirs to open. */
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private final BlobLayout layout;
  private final DiskReserve reserve;
  private final Offload offload;
  private final InstantSource clock;
  private final Duration timeout;
  private final PathSigner signer;

  /** Makes what is missing of a directory, and says its key; fails where nothing can be written. */
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
   * @param leftBytesMin of the disk, which outputs leave to others at least
   * @param offload has threads of its own, which a slow disk may hold up
   * @param timeout after which storing counts as failed, whatever becomes of it
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
    var bytes = new Handover(blob.bytes());
    Duration within = StoreTimeout.of(timeout, blob.bytes().readableBytes());
    var completion = new TimedCompletion<StoreBlobResult>(loop, within, whenDone);
    completion.onTimeout(
        () -> {
          bytes.release();
          return new StoreBlobResult.Unavailable(BlobFailure.TIMED_OUT, HANGS);
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
            delete(name, loop, _ -> {}); // it came too late, and nobody will ever name it
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
    completion.onTimeout(() -> new DeleteBlobResult.Unavailable(BlobFailure.TIMED_OUT, HANGS));
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

  private BlobName write(BlobName name, Handover handover) throws IOException {
    ByteBuf bytes = handover.take();
    if (bytes == null) {
      throw new IOException("nobody waits for it any more");
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

  /** Its parents are synced too, or a crash might take a folder with all that is in it. */
  private void makeFolders(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder);
      sync(folder.resolveSibling("."));
      sync(layout.days());
    }
  }

  /** Without it the name, though not the bytes, might be gone after a crash. */
  static void sync(Path folder) throws IOException {
    try (var opened = FileChannel.open(folder, StandardOpenOption.READ)) {
      opened.force(true);
    }
  }

  private static void discard(Path draft, Throwable why) {
    try {
      Files.deleteIfExists(draft);
    } catch (IOException e) {
      why.addSuppressed(e); // it goes with the drafts of crashes
    }
  }

  /** The system tells it in words only. */
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
    completion.onTimeout(() -> new Opened.Unavailable(HANGS));
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
