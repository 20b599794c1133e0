import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * How long the disk below a folder takes for a record of a charge: a line is appended and synced,
 * 500 times a second as in the row that it belongs to, without a load. {@code java Disk.java FOLDER} prints microseconds as JSON.
 */
final class Disk {
  private static final int WARM_UP = 500;
  private static final int MEASURED = 2_000;
  private static final long EVERY_NANOS = 2_000_000;
  private static final int LINE_BYTES = 512;

  private Disk() {}

  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0], "disk.probe");
    long[] nanos = new long[MEASURED];
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      // Room first, as a journal has it: then a sync has no length of the file to write.
      channel.write(ByteBuffer.allocate((WARM_UP + MEASURED) * LINE_BYTES));
      channel.force(true);
      channel.position(0);
      for (int i = -WARM_UP; i < MEASURED; i++) {
        long from = System.nanoTime();
        channel.write(ByteBuffer.allocate(LINE_BYTES));
        channel.force(false);
        if (i >= 0) {
          nanos[i] = System.nanoTime() - from;
        }
        LockSupport.parkNanos(from + EVERY_NANOS - System.nanoTime());
      }
    } finally {
      Files.deleteIfExists(file);
    }
    Arrays.sort(nanos);
    System.out.printf(
        Locale.ROOT,
        "{ \"p50\": %.1f, \"p99\": %.1f }%n",
        nanos[MEASURED / 2] / 1e3,
        nanos[MEASURED * 99 / 100] / 1e3);
  }
}
