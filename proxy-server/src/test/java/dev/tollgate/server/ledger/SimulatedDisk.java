package dev.tollgate.server.ledger;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Disk in memory that tracks what was forced. A crash keeps any part of the rest: whole sectors and
 * one torn sector, and of the directory any of the operations since it was forced.
 */
final class SimulatedDisk implements Disk {
  private static final int SECTOR = 512;
  private static final int FILE_BYTES_MAX = 1 << 20;

  private final Map<String, Inode> names = new TreeMap<>();
  private final Map<String, Inode> forcedNames = new TreeMap<>();
  private final List<Change> changes = new ArrayList<>();
  private final boolean forces;
  private long operationsLeft = Long.MAX_VALUE;
  private LongSupplier usableBytes = () -> 1 << 30;
  private long capacityBytes = Long.MAX_VALUE;
  private volatile Runnable whenForced = () -> {};

  /** The machine is off. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1;
  }

  private record Change(@Nullable String from, @Nullable String to, Inode inode) {}

  private static final class Inode {
    private byte[] now = new byte[0];
    private byte[] forced = new byte[0];
    private final BitSet dirty = new BitSet();
  }

  /** Creates a disk that forces, or one that only claims to. */
  SimulatedDisk(boolean forces) {
    this.forces = forces;
  }

  /** Lets the machine crash after a number of operations. */
  void crashAfter(long operations) {
    operationsLeft = operations;
  }

  /** Lets every force of a file wait for a latch. */
  void whenForced(Runnable first) {
    whenForced = first;
  }

  void usableBytes(long bytes) {
    usableBytes = () -> bytes;
  }

  /** Limits the total size of all files, and reports the free space. */
  void capacityBytes(long bytes) {
    holdsBytes(bytes);
    usableBytes = () -> capacityBytes - usedBytes();
  }

  /** Limits the total size of all files, and reports a given free space. */
  void holdsBytes(long bytes) {
    capacityBytes = bytes;
  }

  /** Returns the total size of all files. */
  long usedBytes() {
    return names.values().stream().distinct().mapToLong(inode -> inode.now.length).sum();
  }

  /** Restarts the machine after a power failure. */
  void powerCycle(Random random) {
    operationsLeft = Long.MAX_VALUE;
    names.clear();
    for (Change change : changes) {
      if (random.nextBoolean()) {
        apply(change, forcedNames);
      }
    }
    changes.clear();
    names.putAll(forcedNames);
    names.values().stream().distinct().forEach(inode -> lose(inode, random));
  }

  /** Restarts the process only: the operating system kept everything. */
  void restartProcess() {
    operationsLeft = Long.MAX_VALUE;
  }

  /** Returns the present bytes of a file. */
  byte[] bytes(String name) {
    return inode(name).now;
  }

  @Override
  public List<FileEntry> list() {
    step();
    return names.entrySet().stream()
        .map(entry -> new FileEntry(entry.getKey(), entry.getValue().now.length, 0))
        .toList();
  }

  @Override
  public boolean exists(String name) {
    return names.containsKey(name);
  }

  @Override
  public File create(String name) {
    step();
    Inode inode = new Inode();
    change(new Change(null, name, inode));
    return new SimulatedFile(inode);
  }

  @Override
  public File create(String name, int bytes) throws IOException {
    File file = create(name);
    file.write(ByteBuffer.allocate(bytes), 0);
    file.force();
    return file;
  }

  @Override
  public File open(String name) throws FileNotFoundException {
    step();
    if (!exists(name)) {
      throw new FileNotFoundException(name);
    }
    return new SimulatedFile(inode(name));
  }

  @Override
  public void rename(String from, String to) {
    step();
    change(new Change(from, to, inode(from)));
  }

  @Override
  public void delete(String name) {
    step();
    if (exists(name)) {
      change(new Change(name, null, inode(name)));
    }
  }

  @Override
  public void forceDirectory() {
    step();
    if (forces) {
      changes.forEach(change -> apply(change, forcedNames));
      changes.clear();
    }
  }

  @Override
  public long usableBytes() {
    return usableBytes.getAsLong();
  }

  @Override
  public String path(String name) {
    return name;
  }

  private Inode inode(String name) {
    Inode inode = names.get(name);
    if (inode == null) {
      throw new AssertionError("no file " + name);
    }
    return inode;
  }

  private void step() {
    if (operationsLeft-- <= 0) {
      operationsLeft = 0;
      throw new Crash();
    }
  }

  private void change(Change change) {
    changes.add(change);
    apply(change, names);
  }

  private static void apply(Change change, Map<String, Inode> to) {
    // A file whose creation was lost cannot be renamed.
    if (change.from() != null && to.remove(change.from()) == null) {
      return;
    }
    if (change.to() != null) {
      to.put(change.to(), change.inode());
    }
  }

  private static void lose(Inode inode, Random random) {
    byte[] kept = Arrays.copyOf(inode.forced, inode.now.length);
    int torn =
        inode.dirty.isEmpty() ? -1 : inode.dirty.nextSetBit(random.nextInt(inode.dirty.length()));
    for (int sector = inode.dirty.nextSetBit(0);
        sector >= 0;
        sector = inode.dirty.nextSetBit(sector + 1)) {
      int from = sector * SECTOR;
      int length = Math.min(SECTOR, kept.length - from);
      if (sector == torn) {
        System.arraycopy(inode.now, from, kept, from, random.nextInt(length));
      } else if (random.nextBoolean()) {
        System.arraycopy(inode.now, from, kept, from, length);
      }
    }
    inode.now = kept;
    inode.forced = kept.clone();
    inode.dirty.clear();
  }

  private final class SimulatedFile implements File {
    private final Inode inode;

    SimulatedFile(Inode inode) {
      this.inode = inode;
    }

    @Override
    public void write(ByteBuffer bytes, long at) throws IOException {
      int from = (int) at;
      int asked = bytes.remaining();
      long left = capacityBytes == Long.MAX_VALUE ? asked : capacityBytes - usedBytes();
      int length = (int) Math.min(asked, Math.max(0, left + Math.max(0, inode.now.length - from)));
      assertSmall(from + length);
      if (inode.now.length < from + length) {
        inode.now = Arrays.copyOf(inode.now, from + length);
      }
      bytes.get(inode.now, from, length);
      inode.dirty.set(from / SECTOR, (from + length + SECTOR - 1) / SECTOR);
      step();
      if (length < asked) {
        throw new IOException("No space left on device");
      }
    }

    @Override
    public void read(ByteBuffer into, long at) {
      int length = Math.min(into.remaining(), Math.max(0, inode.now.length - (int) at));
      if (length > 0) {
        into.put(inode.now, (int) at, length);
      }
    }

    @Override
    public long size() {
      return inode.now.length;
    }

    @Override
    public void force() {
      step();
      whenForced.run();
      if (forces) {
        inode.forced = inode.now.clone();
        inode.dirty.clear();
      }
    }

    @Override
    public void close() {}

    private static void assertSmall(int bytes) {
      if (bytes > FILE_BYTES_MAX) {
        throw new AssertionError("a file of " + bytes + " bytes");
      }
    }
  }
}
