package dev.tollgate.server.postgres.embedded;

import dev.tollgate.server.settings.value.FileFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exclusive lock of a process on its data directory, through the file {@code data_dir/lock}. It is
 * acquired before anything else in the directory is read and held until the process ends. The file
 * is opened once, because closing any descriptor of it would drop the lock.
 */
public final class DataDirLock implements AutoCloseable {
  /** Longest wait for a holder that is about to end. */
  public static final Duration ACQUIRE_TIMEOUT = Duration.ofSeconds(15);

  private static final int HOLDER_BYTES_MAX = 32;
  private static final int RETRY_MILLIS = 20;

  /** Directories locked by this process: opening the file again to find out would drop the lock. */
  private static final Set<Path> LOCKED_BY_THIS_PROCESS = ConcurrentHashMap.newKeySet();

  private final Path dataDir;
  private final FileChannel channel;

  private DataDirLock(Path dataDir, FileChannel channel) {
    this.dataDir = dataDir;
    this.channel = channel;
  }

  /** Result of an attempt to lock the data directory. */
  public sealed interface LockResult {
    record Acquired(DataDirLock lock) implements LockResult {}

    record InUse(String message) implements LockResult {}
  }

  /** Tries once, without waiting; creates a missing directory. */
  public static LockResult tryAcquire(Path dataDir) throws StoreException {
    Path directory = dataDir.toAbsolutePath().normalize();
    try {
      if (!Files.isDirectory(directory)) {
        Files.createDirectories(
            directory,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
      Path real = directory.toRealPath();
      if (!LOCKED_BY_THIS_PROCESS.add(real)) {
        return inUse(real, String.valueOf(ProcessHandle.current().pid()));
      }
      LockResult result = tryLock(real);
      switch (result) {
        case LockResult.InUse _ -> LOCKED_BY_THIS_PROCESS.remove(real);
        case LockResult.Acquired _ -> warnOfOtherWriters(real);
      }
      return result;
    } catch (IOException e) {
      throw new StoreException(
          "cannot use the data directory " + directory + ": " + FileFailure.reason(e));
    }
  }

  private static void warnOfOtherWriters(Path directory) throws IOException {
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
    if (permissions.contains(PosixFilePermission.OTHERS_WRITE)
        || permissions.contains(PosixFilePermission.GROUP_WRITE)) {
      log().warn("other users may replace what is in {}: chmod go-w", directory);
    }
  }

  /** Acquires the lock, or fails naming its holder. */
  public static DataDirLock acquire(Path dataDir) throws StoreException {
    return switch (tryAcquire(dataDir)) {
      case LockResult.Acquired acquired -> acquired.lock();
      case LockResult.InUse inUse -> throw new StoreException(inUse.message());
    };
  }

  /**
   * Acquires the lock, waiting for a holder that may be a short command; fails naming the holder.
   *
   * @param stillWanted false ends the wait
   */
  public static DataDirLock await(Path dataDir, BooleanSupplier stillWanted) throws StoreException {
    long deadline = System.nanoTime() + ACQUIRE_TIMEOUT.toNanos();
    boolean logged = false;
    while (true) {
      switch (tryAcquire(dataDir)) {
        case LockResult.Acquired acquired -> {
          return acquired.lock();
        }
        case LockResult.InUse inUse -> {
          if (!stillWanted.getAsBoolean() || System.nanoTime() - deadline > 0) {
            throw new StoreException(inUse.message());
          }
          if (!logged) {
            log().warn("{}; waiting for up to {} s", inUse.message(), ACQUIRE_TIMEOUT.toSeconds());
            logged = true;
          }
        }
      }
      pause();
    }
  }

  /** Sleeps between two attempts. */
  public static void pause() throws StoreException {
    try {
      TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while waiting for the data directory");
    }
  }

  public Path dataDir() {
    return dataDir;
  }

  /** Releases the directory. */
  @Override
  public void close() {
    try {
      LOCKED_BY_THIS_PROCESS.remove(dataDir);
      channel.close();
    } catch (IOException e) {
      throw new IllegalStateException("cannot close the lock of " + dataDir, e);
    }
  }

  private static LockResult tryLock(Path directory) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve("lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    if (channel.tryLock() == null) {
      String holder = readHolder(channel);
      channel.close();
      return inUse(directory, holder);
    }
    writeHolder(channel);
    return new LockResult.Acquired(new DataDirLock(directory, channel));
  }

  private static LockResult.InUse inUse(Path directory, String holder) {
    return new LockResult.InUse(
        "the data directory "
            + directory
            + " is in use by another process"
            + (holder.isEmpty() ? "" : " (pid " + holder + ")")
            + "; one process at a time may own it");
  }

  private static String readHolder(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(HOLDER_BYTES_MAX);
    channel.read(bytes, 0);
    return StandardCharsets.US_ASCII.decode(bytes.flip()).toString().strip();
  }

  private static void writeHolder(FileChannel channel) throws IOException {
    channel.truncate(0);
    String pid = ProcessHandle.current().pid() + "\n";
    channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
  }

  /** Returns the log, which takes longer to load than most commands run. */
  private static Logger log() {
    return LoggerFactory.getLogger(DataDirLock.class);
  }
}
